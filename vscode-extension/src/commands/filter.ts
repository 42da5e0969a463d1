// Muninn: Filter Memories and Group Memories By. What the view Memory lists, and how.

import * as vscode from 'vscode';
import type { Server } from '../server';
import type { Views } from '../views';
import { GROUPINGS } from '../views/memories';

/** Asks for words, and lists only memories that contain them. */
export async function filter(server: Server, views: Views): Promise<void> {
  const prompt = 'Only memories whose text contains this';
  const words = await vscode.window.showInputBox({ title: `${server.label}: Filter`, prompt, value: views.filter, ignoreFocusOut: true });
  if (words !== undefined) views.setFilter(words.trim());
}

/** Asks for a grouping, and stores it as the setting of the workspace. */
export async function groupBy({ folder, label }: Server): Promise<void> {
  const settings = vscode.workspace.getConfiguration('muninn', folder);
  const now = settings.get<string>('views.groupBy');
  const rows = GROUPINGS.map((grouping) => ({ label: grouping, description: grouping === now ? 'now' : '' }));
  const chosen = await vscode.window.showQuickPick(rows, { title: `${label}: Group Memories By`, placeHolder: 'Grouping of the view Memory' });
  if (chosen) await settings.update('views.groupBy', chosen.label, vscode.ConfigurationTarget.Workspace);
}
