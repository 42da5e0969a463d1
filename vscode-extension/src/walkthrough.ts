// The walkthrough: its steps are done when the repository has a memory, also one that was there before.
import * as vscode from 'vscode';

/** The seconds after which the steps are completed again: VS Code loads the walkthrough some time after its page opens. */
const AGAIN = [0.5, 2, 8, 30];

/** Completes steps when a page opens that may be the walkthrough; VS Code tells extensions neither its kind nor its id. */
export function followWalkthrough(): vscode.Disposable {
  let timers: NodeJS.Timeout[] = [];
  const stop = () => timers.splice(0).forEach(clearTimeout);
  const followed = vscode.window.tabGroups.onDidChangeTabs(({ opened, changed }) => {
    if (![...opened, ...changed].some((tab) => tab.isActive && tab.input === undefined)) return;
    stop();
    void completeSteps();
    timers = AGAIN.map((seconds) => setTimeout(() => void completeSteps(), 1_000 * seconds));
  });
  return vscode.Disposable.from(followed, { dispose: stop });
}

/**
 * Completes the steps whose conditions in package.json hold.
 *
 * VS Code completes a step when its condition becomes true after the walkthrough was loaded, which happens when its page
 * opens first. A condition that is true already at that moment never completes the step. So the conditions contain a key
 * that is true only during this call.
 */
export async function completeSteps(): Promise<void> {
  await vscode.commands.executeCommand('setContext', 'muninn.walkthrough', true);
  await vscode.commands.executeCommand('setContext', 'muninn.walkthrough', false);
}
