import { expect, test } from 'vitest'
import { performWithApprentice, RECORDED_MOBILE_MCP_BYTES, sumBytes } from '../bench/mcp-task.ts'
import { readNotes } from '../runs/run-kit.ts'
import { connectClient, startNotes } from './mcp-client.ts'

test('a fixed task by hand takes at most half of the bytes that mobile-mcp takes for it', async () => {
  const { daemon, url } = await startNotes()
  const exchanges = await performWithApprentice(await connectClient(url))
  expect(readNotes(daemon).at(-1)).toEqual({ title: 'Groceries', body: 'Two bottles of milk' })
  expect(sumBytes(exchanges), JSON.stringify(exchanges)).toBeLessThanOrEqual(RECORDED_MOBILE_MCP_BYTES / 2)
})
