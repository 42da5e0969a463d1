// Written by `muninn install opencode`; `muninn uninstall opencode` removes it, and an update writes it anew.
//
// Hands the turning points of a session to `muninn hook`, and what Muninn says to the model. Whatever goes wrong, the
// session goes on: the hook keeps its own time and its own log (.muninn/local/hooks.log).
import { spawn } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Plugin } from "@opencode-ai/plugin"

const MUNINN = "{muninn}"
const SHELL = "bash"

type Fields = Record<string, unknown>

/** Run one event and return what Muninn says, "" for nothing; it never rejects. */
function hook(event: string, fields: Fields): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(MUNINN, ["hook", event], { stdio: ["pipe", "pipe", "ignore"] })
    const said: Buffer[] = []
    child.on("error", () => resolve(""))
    child.on("close", () => resolve(Buffer.concat(said).toString("utf8").trim()))
    child.stdout.on("data", (part: Buffer) => said.push(part))
    child.stdin.on("error", () => undefined)
    child.stdin.end(JSON.stringify({ agent: "opencode", ...fields }))
  })
}

export const Muninn: Plugin = async ({ client, directory }) => {
  const briefs = new Map<string, Promise<string>>()
  const compacted = new Set<string>()
  const ask = (event: string, session: string, fields: Fields = {}) =>
    hook(event, { session_id: session, cwd: directory, ...fields })

  /** What the repository remembers: the same text in every request of a session, until it is compacted. */
  function brief(session: string): Promise<string> {
    const known = briefs.get(session)
    if (known) return known
    const asked = ask("session-start", session, { source: compacted.has(session) ? "compact" : "startup" })
    briefs.set(session, asked)
    return asked
  }

  /** Write what was said for as long as `work` takes: OpenCode keeps its conversations in a form of its own. */
  async function withTranscript(session: string, work: (path: string) => Promise<string>): Promise<string> {
    const { data } = await client.session.messages({ path: { id: session } })
    const lines = (data ?? []).map(({ info, parts }) => {
      const text = parts.flatMap((part) => (part.type === "text" && !part.synthetic ? [part.text] : [])).join("\n\n")
      const timestamp = new Date(info.time.created).toISOString()
      return JSON.stringify({ type: info.role, timestamp, message: { role: info.role, content: text } }) + "\n"
    })
    const folder = await mkdtemp(join(tmpdir(), "muninn-"))
    try {
      const path = join(folder, `opencode-${session}.jsonl`)
      await writeFile(path, lines.join(""), { mode: 0o600 })
      return await work(path)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  return {
    event: async ({ event }) => {
      if (event.type === "session.compacted") {
        compacted.add(event.properties.sessionID)
        briefs.delete(event.properties.sessionID)
      } else if (event.type === "session.deleted") {
        if (briefs.delete(event.properties.info.id)) await ask("session-end", event.properties.info.id)
      }
    },
    "experimental.chat.system.transform": async (input, output) => {
      const text = input.sessionID ? await brief(input.sessionID) : ""
      if (text) output.system.push(text)
    },
    "tool.execute.after": async (input, output) => {
      if (input.tool !== SHELL) return
      const ran = { tool_name: SHELL, tool_input: { command: input.args?.command } }
      const text = await ask("post-commit", input.sessionID, ran)
      if (text) output.output += `\n\n${text}`
    },
    "experimental.session.compacting": async (input, output) => {
      try {
        const text = await withTranscript(input.sessionID, (path) =>
          ask("pre-compact", input.sessionID, { transcript_path: path }),
        )
        if (text) output.context.push(text)
      } catch {
        // a conversation that can't be read is no reason not to compact it
      }
    },
    dispose: async () => {
      await Promise.all([...briefs.keys()].map((session) => ask("session-end", session)))
      briefs.clear()
    },
  }
}
