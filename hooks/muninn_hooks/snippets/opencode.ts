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

/** Tools by the names that Muninn's reader of transcripts knows. */
const TOOLS: Record<string, string> = { bash: "Bash", edit: "Edit", write: "Write" }

type Fields = Record<string, unknown>

/** Run one event and return what Muninn says, "" for nothing; it never rejects. */
function hook(event: string, fields: Fields): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(MUNINN, ["hook", event, "--agent", "opencode"], { stdio: ["pipe", "pipe", "ignore"] })
    const said: Buffer[] = []
    child.on("error", () => resolve(""))
    child.on("close", () => resolve(Buffer.concat(said).toString("utf8").trim()))
    child.stdout.on("data", (part: Buffer) => said.push(part))
    child.stdin.on("error", () => undefined)
    child.stdin.end(JSON.stringify(fields))
  })
}

export const Muninn: Plugin = async ({ client, directory }) => {
  const briefs = new Map<string, Promise<string>>()
  const compacted = new Set<string>()
  const handed = new Map<string, number>()
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

  /**
   * The conversation as lines of the form that Muninn reads: what was said, which tools ran, and how that went.
   * With `latest`, it begins with the last turn of the call before.
   */
  async function lines(session: string, latest: boolean): Promise<string> {
    const { data } = await client.session.messages({ path: { id: session } })
    const messages = data ?? []
    const from = latest ? (handed.get(session) ?? 0) : 0
    if (latest) handed.set(session, Math.max(0, messages.findLastIndex(({ info }) => info.role === "user")))
    const written: object[] = []
    for (const { info, parts } of messages.slice(from)) {
      const about = { sessionId: session, cwd: directory, timestamp: new Date(info.time.created).toISOString() }
      const line = (type: string, uuid: string, content: object[], more: object = {}) =>
        written.push({ type, uuid, promptId: info.id, ...about, message: { role: type, content, ...more } })
      if (info.role === "assistant") {
        const { input, output, reasoning, cache } = info.tokens
        const read = { cache_read_input_tokens: cache.read, cache_creation_input_tokens: cache.write }
        const usage = { input_tokens: input, output_tokens: output + reasoning, ...read }
        line("assistant", info.id, [], { id: info.id, model: info.modelID, usage })
      }
      for (const part of parts) {
        if (part.type === "text" && !part.synthetic) line(info.role, part.id, [{ type: "text", text: part.text }])
        if (part.type !== "tool") continue
        const state = part.state
        if (state.status !== "completed" && state.status !== "error") continue
        const input = { ...state.input, file_path: state.input.filePath }
        line("assistant", part.id, [{ type: "tool_use", id: part.callID, name: TOOLS[part.tool] ?? part.tool, input }])
        const exit = state.metadata?.exit
        const failed = state.status === "error" || (typeof exit === "number" && exit !== 0)
        const output = state.status === "error" ? state.error : state.output
        const content = failed && exit ? `Exit code ${exit}\n${output}` : output
        line("user", part.id, [{ type: "tool_result", tool_use_id: part.callID, content, is_error: failed }])
      }
    }
    return written.map((one) => JSON.stringify(one) + "\n").join("")
  }

  /** Ask with the conversation in a file that is there for as long as the answer takes. */
  async function askWithTranscript(event: string, session: string, latest = false): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), "muninn-"))
    try {
      const path = join(folder, `opencode-${session}.jsonl`)
      await writeFile(path, await lines(session, latest), { mode: 0o600 })
      return await ask(event, session, { transcript_path: path })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  const end = (session: string) =>
    askWithTranscript("session-end", session).catch(() => ask("session-end", session))

  return {
    event: async ({ event }) => {
      if (event.type === "session.idle") {
        const session = event.properties.sessionID
        await askWithTranscript("stop", session, true).catch(() => ask("stop", session))
      } else if (event.type === "session.compacted") {
        compacted.add(event.properties.sessionID)
        briefs.delete(event.properties.sessionID)
      } else if (event.type === "session.deleted") {
        if (briefs.delete(event.properties.info.id)) await ask("session-end", event.properties.info.id)
      }
    },
    "chat.message": async (input, output) => {
      const prompt = output.parts.flatMap((part) => (part.type === "text" && !part.synthetic ? [part.text] : []))
      const text = await ask("user-prompt", input.sessionID, { prompt: prompt.join("\n\n") })
      const last = output.parts.at(-1)
      if (!text || !last) return
      const { sessionID, messageID } = last
      output.parts.push({ id: `${last.id}0`, sessionID, messageID, type: "text", text, synthetic: true })
    },
    "experimental.chat.system.transform": async (input, output) => {
      const text = input.sessionID ? await brief(input.sessionID) : ""
      if (text) output.system.push(text)
    },
    "tool.execute.after": async (input, output) => {
      if (input.tool !== "bash") return
      const ran = { tool_name: input.tool, tool_input: { command: input.args?.command } }
      const text = output.metadata?.exit
        ? await ask("post-failure", input.sessionID, { ...ran, error: output.output })
        : await ask("post-commit", input.sessionID, ran)
      if (text) output.output += `\n\n${text}`
    },
    "experimental.session.compacting": async (input, output) => {
      const text = await askWithTranscript("pre-compact", input.sessionID).catch(() => "")
      if (text) output.context.push(text)
    },
    dispose: async () => {
      await Promise.all([...briefs.keys()].map(end))
      briefs.clear()
    },
  }
}
