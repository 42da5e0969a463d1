// Installs the packaged .vsix and uses it as a person would, through the window.
import { agents, daily, first } from './daily.mjs';
import { counts, served, withDesk } from './desk.mjs';
import { repository } from './repository.mjs';
import { several } from './several.mjs';
import { unusual } from './unusual.mjs';

const { root, remove } = repository();
const fresh = repository();
try {
  await withDesk({ folder: fresh.root }, served(), first);
  await withDesk({ folder: root }, served(), (desk) => daily(desk, root));
  await withDesk({ folder: root }, served({ 'chat.disableAIFeatures': false }), agents);
  await several();
  await unusual(root);
} finally {
  fresh.remove();
  remove();
}
console.log(`e2e: ${counts.passed} passed, ${counts.failed} failed`);
if (counts.failed) process.exitCode = 1;
