// A language server with one fault: passes bytes between the editor and the real one, whose command line follows.
// `older NOTE …` calls itself 0.0.9; `crashing NOTE …` ends when it hears the first words after the handshake.
// Each start adds a line to the file NOTE.
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';

const [fault, note, program, ...args] = process.argv.slice(2);
appendFileSync(note, `${Date.now()}\n`);
const real = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
real.on('exit', (code) => process.exit(code ?? 1));
let answered = false;

process.stdin.on('data', (data) => {
  if (fault === 'crashing' && answered) {
    console.error('an error that comes each time');
    real.kill();
    process.exit(3);
  }
  real.stdin.write(data);
});
process.stdin.on('end', () => real.stdin.end());

real.stdout.on('data', (data) => {
  answered = true;
  // The same number of bytes, because the header states the length.
  const said = data.toString('latin1');
  process.stdout.write(Buffer.from(fault === 'older' ? said.replace(/("version": ?")\d\.\d\.\d"/, '$10.0.9"') : said, 'latin1'));
});
