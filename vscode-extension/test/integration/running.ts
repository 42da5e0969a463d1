// Runs suites inside the extension host (the contract of extensionTestsPath: export run()).

import * as path from 'node:path';
import { format } from 'node:util';
import Mocha from 'mocha';

/** Runs the suites of these names; rejects when a test fails. */
export function runSuites(...names: readonly string[]): Promise<void> {
  // The prefix separates these lines from the workbench's log.
  Mocha.reporters.Base.consoleLog = (...args) => console.log(`[test] ${format(...args)}`);
  const mocha = new Mocha({ ui: 'tdd', timeout: 300_000, slow: 2_000, color: false });
  for (const name of names) mocha.addFile(path.join(__dirname, `${name}.js`));
  return new Promise((resolve, reject) => {
    const runner = mocha.run((failed) => {
      console.log(`[test] integration: ${(runner.stats?.passes ?? 0)} passed, ${failed} failed`);
      if (failed) reject(new Error(`${failed} failed`));
      else resolve();
    });
  });
}
