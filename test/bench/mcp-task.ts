import type { Client } from '@modelcontextprotocol/client'

export const NOTES_APP = 'org.apprentice.notes'
export const NOTE = { title: 'Groceries', body: 'Two bottles of milk' }

/** The steps of the fixed task: open the app, begin a note, type its title, type its text, save it. */
export const TASK_STEPS = 5

/** What mobile-mcp 1.0.4 took for the task on the same phone. `mcp-bytes.ts` measures it again. */
export const RECORDED_MOBILE_MCP_BYTES = 5070

/** What one call of a tool and its result take. */
export interface Exchange {
  readonly tool: string
  readonly bytes: number
}

export const countBytes = (params: unknown, result: unknown): number =>
  Buffer.byteLength(JSON.stringify(params)) + Buffer.byteLength(JSON.stringify(result))

export const sumBytes = (exchanges: readonly Exchange[]): number => exchanges.reduce((sum, { bytes }) => sum + bytes, 0)

/** Writes the note with the tools of the daemon, one action per call. */
export async function performWithApprentice(client: Client): Promise<readonly Exchange[]> {
  const exchanges: Exchange[] = []
  const act = async (action: Record<string, unknown>): Promise<string> => {
    const params = { name: 'do_actions', arguments: { actions: [action] } }
    const result = await client.callTool(params)
    exchanges.push({ tool: `do_actions ${String(action['do'])}`, bytes: countBytes(params, result) })
    const [first] = result.content
    const text = first?.type === 'text' ? first.text : ''
    if (result.isError === true) throw new Error(text)
    return text
  }
  const list = await act({ do: 'open_app', package: NOTES_APP })
  const editor = await act({ do: 'tap', on: findRef(list, 'New note') })
  await act({ do: 'type', on: findRef(editor, 'Title'), text: NOTE.title })
  await act({ do: 'type', on: findRef(editor, 'Write something'), text: NOTE.body })
  const saved = await act({ do: 'tap', on: findRef(editor, 'Save') })
  if (!saved.includes(NOTE.title)) throw new Error(`The note is not in the list:\n${saved}`)
  return exchanges
}

function findRef(text: string, words: string): string {
  const line = text.split('\n').find((one) => one.includes(words))
  const ref = /\be\d+\b/.exec(line ?? '')?.[0]
  if (ref === undefined) throw new Error(`No line contains ${words}:\n${text}`)
  return ref
}
