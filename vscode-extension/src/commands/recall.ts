// Muninn: Recall. A list of hits that is renewed while the question is typed, with a preview of the hit in focus.

import { isAbsolute } from 'node:path';
import * as vscode from 'vscode';
import { failureOf, sentence } from '../failure';
import { type Heading, literal, type Row, rows } from '../hits';
import type { Hit, RecallResult } from '../protocol';
import { memoryDocument } from '../pages';
import type { Places } from '../places';
import type { How, Shown } from '../reader';
import type { Server } from '../server';
import { counted } from '../state';
import { forget } from './memory';
import { selection } from '../activeFile';

/** Milliseconds without a key before the request: shorter than the pause after a word. */
const PAUSE = 120;

const RECENT = 'muninn.recall.recent';
const KEPT = 8;

/** The questions whose hits were opened in this workspace, the latest first. */
export class Recent {
  constructor(private readonly state: vscode.Memento) {}

  /** All of them. */
  get all(): readonly string[] {
    return this.state.get<string[]>(RECENT, []);
  }

  /** Puts a question first. */
  async add(question: string): Promise<void> {
    await this.state.update(RECENT, [question, ...this.all.filter((each) => each !== question)].slice(0, KEPT));
  }

  /** Removes a question. */
  async remove(question: string): Promise<void> {
    await this.state.update(RECENT, this.all.filter((each) => each !== question));
  }
}

/** Asks while the person types, from `given` or the selection on, and opens the hit that is chosen. Throws a Failure. */
export async function recall(server: Server, places: Places, recent: Recent, given?: string): Promise<void> {
  const hit = await new Question(server, places, recent).ask(given ?? selection() ?? '');
  if (hit) await open(server, places, hit);
}

/** Opens a hit: a memory as a page, any other in its file at its line. Throws a Failure. */
async function open(server: Server, { reader, elsewhere }: Places, hit: Hit, how: How = {}): Promise<void> {
  if (hit.repository) return openElsewhere(elsewhere.address(hit), how);
  if (hit.kind === 'memory') return reader.open(server, memoryDocument(hit.id), { ...how, why: hit.why });
  const { isPreview: preserveFocus = false, beside = false, wanted } = how;
  const marked = hit.snippet.find((each) => each.marks.length);
  const line = Math.max(0, (marked?.line ?? hit.start_line) - 1);
  const end = Math.max(line, hit.end_line - 1);
  // A file of another tool outside of the repository has an absolute path.
  const file = isAbsolute(hit.path) ? vscode.Uri.file(hit.path) : server.file(hit.path);
  const viewColumn = beside ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active;
  const document = await vscode.workspace.openTextDocument(file); // a large file takes long
  if (wanted && !wanted()) return;
  const editor = await vscode.window.showTextDocument(document, { preview: true, preserveFocus, viewColumn });
  editor.selection = new vscode.Selection(line, 0, line, 0);
  editor.revealRange(new vscode.Range(line, 0, end, 0), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

async function openElsewhere(uri: vscode.Uri, { isPreview: preserveFocus = false, beside = false }: How): Promise<void> {
  const viewColumn = beside ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active;
  await vscode.window.showTextDocument(uri, { preview: true, preserveFocus, viewColumn });
}

const HISTORY = new vscode.ThemeIcon('history');
const BESIDE = { iconPath: new vscode.ThemeIcon('split-horizontal'), tooltip: 'Open to the Side' };
const FORGET = { iconPath: new vscode.ThemeIcon('trash'), tooltip: 'Forget…' };
const REMOVE = { iconPath: new vscode.ThemeIcon('close'), tooltip: 'Remove from Recent Questions' };

interface Item extends vscode.QuickPickItem {
  readonly hit?: Hit;
  readonly question?: string;
}

function itemOf(row: Row | Heading): Item {
  // `alwaysShow`: VS Code's own filter must not hide hits.
  if (!row.hit) return { label: row.label, kind: row.kind };
  return { ...row, iconPath: new vscode.ThemeIcon(row.icon), alwaysShow: true, buttons: [row.hit.kind === 'memory' && !row.hit.repository ? FORGET : BESIDE] };
}

/** One list, from the first key to the choice. A late answer to an older question is dropped. */
class Question {
  private readonly list = vscode.window.createQuickPick<Item>();
  private readonly before = vscode.window.activeTextEditor;
  private request = new vscode.CancellationTokenSource();
  private timer: NodeJS.Timeout | undefined;
  private readonly pageBefore: Shown | undefined;
  private previewed = false;
  private isAnswered = false;
  private isLeft = false;

  constructor(
    private readonly server: Server,
    private readonly places: Places,
    private readonly recent: Recent,
  ) {
    this.pageBefore = places.reader.page;
    this.list.title = `${server.label}: Recall`;
    this.list.placeholder = 'Why is the cache keyed by commit? Or words, names, type:decision path:src/**';
    this.list.matchOnDescription = true;
    this.list.matchOnDetail = true;
    // Keeps the order of the server. VS Code has this property, but its types do not yet.
    (this.list as { sortByLabel?: boolean }).sortByLabel = false;
  }

  async ask(text: string): Promise<Hit | undefined> {
    const { list } = this;
    list.value = text;
    const chosen = new Promise<Hit | undefined>((resolve, reject) => {
      list.onDidChangeValue(() => this.searchSoon(reject));
      list.onDidChangeActive(([first]) => first?.hit && void this.preview(first.hit));
      list.onDidTriggerItemButton(({ item, button }) => void this.press(item, button).then(() => this.isLeft && resolve(undefined), reject));
      list.onDidAccept(() => {
        const first = list.selectedItems[0];
        if (first?.question) {
          list.value = first.question;
          this.searchSoon(reject, 0);
        }
        if (!first?.hit) return; // there is no answer yet
        void this.recent.add(list.value.trim());
        resolve(first.hit);
        list.hide();
      });
      list.onDidHide(() => this.isLeft || resolve(undefined)); // what a button started may still fail
      if (text) this.searchSoon(reject, 0);
      else this.showRecent();
    });
    list.show();
    try {
      const hit = await chosen;
      this.isAnswered = true;
      if (!hit) await this.goBack();
      return hit;
    } finally {
      clearTimeout(this.timer);
      this.request.cancel();
      this.request.dispose();
      list.dispose();
    }
  }

  private searchSoon(failed: (error: unknown) => void, pause = PAUSE): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.search().catch(failed), pause);
  }

  private async search(): Promise<void> {
    const query = this.list.value.trim();
    this.request.cancel();
    const own = (this.request = new vscode.CancellationTokenSource());
    if (!query) {
      this.list.busy = false;
      this.list.title = `${this.server.label}: Recall`;
      return this.showRecent();
    }
    this.list.busy = true;
    const limit = vscode.workspace.getConfiguration('muninn', this.server.folder).get<number>('recall.limit', 20);
    try {
      const result = await this.server.request('recall', { query, limit }, own.token);
      if (this.request !== own) return;
      this.list.title = `${this.server.label}: ${heading(query, result)}`;
      this.list.items = rows(result).map(itemOf);
    } catch (error) {
      if (this.request !== own) return;
      const failure = failureOf(error);
      if (failure.kind !== 'bad_params') throw error;
      // A filter or a phrase that is not complete: the list stays, and its title has the error.
      this.list.title = sentence(failure, this.server.label);
    } finally {
      if (this.request === own) this.list.busy = false;
    }
  }

  private showRecent(): void {
    const found = this.recent.all.map((question) => ({ iconPath: HISTORY, label: literal(question), question, buttons: [REMOVE] }));
    this.list.items = found.length ? [{ label: 'Recent questions', kind: vscode.QuickPickItemKind.Separator }, ...found] : [];
  }

  /** Runs the action of a button of a row. */
  private async press({ hit, question }: Item, button: vscode.QuickInputButton): Promise<void> {
    if (question && button === REMOVE) {
      await this.recent.remove(question);
      this.showRecent();
    }
    if (!hit) return;
    this.isLeft = true;
    this.list.hide();
    if (button === BESIDE) await open(this.server, this.places, hit, { beside: true });
    else await forget(this.server, hit.id);
  }

  /** Shows the hit in focus behind the list. */
  private async preview(hit: Hit): Promise<void> {
    this.previewed = true;
    try {
      await open(this.server, this.places, hit, { isPreview: true, wanted: () => this.list.activeItems[0]?.hit === hit && !this.isAnswered });
    } catch {
      // It was deleted after it was indexed. Choosing it shows the error.
    }
  }

  private async goBack(): Promise<void> {
    if (!this.previewed || this.isLeft) return;
    const { reader } = this.places;
    if (this.pageBefore) await reader.restore(this.pageBefore);
    else reader.close();
    if (!this.before) return;
    // The editor has the focus again. Setting it once more would close a list that was opened meanwhile.
    const { document, selection } = this.before;
    await vscode.window.showTextDocument(document, { selection, preserveFocus: true });
  }
}

function heading(query: string, result: RecallResult): string {
  const { lag } = result.saw.index;
  const late = lag ? ` · ${counted(lag, 'changed file', 'changed files')} not yet searchable` : '';
  const notes = result.notes.map((note) => ` · ${note}`).join('');
  const found = rows(result).filter((each) => each.hit).length;
  return `${counted(found, 'hit', 'hits')} for “${query}”${late}${notes}`;
}
