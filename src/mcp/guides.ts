import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server'

/** A document for agents that the program ships. */
export interface Guide {
  readonly name: string
  readonly text: string
}

/** Offers the guides as prompts, for clients whose person wants to begin with one. */
export function handleGuides(server: Server, readGuides: () => Promise<readonly Guide[]>): void {
  server.setRequestHandler('prompts/list', async () => ({
    prompts: (await readGuides()).map(({ name, text }) => ({
      name,
      title: findTitle(text),
      description: findTitle(text),
    })),
  }))
  server.setRequestHandler('prompts/get', async ({ params }) => {
    const guide = (await readGuides()).find(({ name }) => name === params.name)
    if (guide === undefined) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt ${params.name}.`)
    }
    return { messages: [{ role: 'user' as const, content: { type: 'text' as const, text: guide.text } }] }
  })
}

const findTitle = (text: string): string => /^# (.+)$/m.exec(text)?.[1] ?? ''
