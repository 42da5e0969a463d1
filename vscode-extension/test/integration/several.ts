// What VS Code calls inside the extension host of a window on several repositories.

import { runSuites } from './running';

export const run = (): Promise<void> => runSuites('repositories');
