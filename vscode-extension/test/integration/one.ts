// What VS Code calls inside the extension host of a window on one repository.

import { runSuites } from './running';

export const run = (): Promise<void> => runSuites('daily', 'files', 'trouble');
