// The places where the window shows the server's documents.

import type { Cards } from './cards';
import type { Documents } from './documents';
import type { Elsewhere } from './elsewhere';
import type { Reader } from './reader';

/** Texts in editors, cards below a line of code, and the tab of rendered pages. */
export interface Places {
  readonly documents: Documents;
  readonly cards: Cards;
  readonly reader: Reader;
  readonly elsewhere: Elsewhere;
}
