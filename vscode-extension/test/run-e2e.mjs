// Installs the packaged .vsix and uses it as a person would, through the window. A name of a part (`first`, `daily`,
// `agents`, `several`, `unusual`) runs that part alone; `unusual` needs the memory that `daily` makes.
import { agents, daily, first, later, sealing } from './daily.mjs';
import { counts, served, withDesk } from './desk.mjs';
import { repository } from './repository.mjs';
import { several } from './several.mjs';
import { unusual } from './unusual.mjs';

const { root, remove } = repository();
const fresh = repository();
const PARTS = {
  first: () => withDesk({ folder: fresh.root }, served(), first),
  daily: () => withDesk({ folder: root }, served(), (desk) => daily(desk, root)),
  agents: () =>
    withDesk({ folder: root }, served({ 'chat.disableAIFeatures': false, 'git.enabled': true }), async (desk) => {
      await later(desk);
      await sealing(desk, root);
      await agents(desk);
    }),
  several,
  unusual: () => unusual(root),
};
const wanted = process.argv.slice(2);
try {
  for (const [name, part] of Object.entries(PARTS)) if (!wanted.length || wanted.includes(name)) await part();
} finally {
  fresh.remove();
  remove();
}
console.log(`e2e: ${counts.passed} passed, ${counts.failed} failed`);
if (counts.failed) process.exitCode = 1;
