import http from 'node:http';
import { served, withDesk } from './desk.mjs';
const [folder, port = '7790', theme = 'Dark Modern', w = '1280', h = '800'] = process.argv.slice(2);
const AsyncFunction = (async () => {}).constructor;
await withDesk({ folder }, { ...served({ 'workbench.colorTheme': theme }), size: { width: Number(w), height: Number(h) } }, async (desk) => {
  desk.wait(15000);
  globalThis.desk = desk;
  await new Promise((resolve) => {
    http.createServer((q, r) => {
      let body = ''; q.on('data', (d) => (body += d)); q.on('end', async () => {
        if (body.trim() === 'quit') { r.end('bye'); return resolve(); }
        try { const v = await new AsyncFunction('desk', 'page', body)(desk, desk.page); r.end(typeof v === 'string' ? v : JSON.stringify(v, null, 1) ?? 'ok'); }
        catch (e) { r.end('ERR ' + e.message.slice(0, 800)); }
      });
    }).listen(Number(port));
    console.log('ready');
  });
});
process.exit(0);
