import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { adminToken, startDaemon } from '../kit/daemon.ts'
import { hasSuite, runSuite } from './conformance-suite.ts'

/**
 * The scenarios of the suite that need no tools, resources or prompts of the suite's own: the others call names such as
 * `test_image_content` or `test://static-text`.
 */
const SCENARIOS = [
  'server-initialize',
  'logging-set-level',
  'ping',
  'tools-list',
  'tools-call-error',
  'server-sse-multiple-streams',
  'resources-list',
  'prompts-list',
  'dns-rebinding-protection',
]

/** The suite sends no token, so this adds one and forwards everything else as it is. */
async function addToken(url: string): Promise<string> {
  const target = new URL(url)
  const proxy = createServer((incoming, reply) => {
    const { method, url: path, headers } = incoming
    const outgoing = request(
      {
        host: target.hostname,
        port: target.port,
        path,
        method,
        headers: { ...headers, authorization: `Bearer ${adminToken}` },
      },
      (answer) => {
        reply.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(reply)
      },
    )
    outgoing.on('error', () => reply.destroy())
    reply.on('close', () => outgoing.destroy())
    incoming.pipe(outgoing)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  return `http://127.0.0.1:${(proxy.address() as { port: number }).port}/mcp`
}

test.skipIf(!hasSuite)('the server passes the scenarios of the official conformance suite', async () => {
  const daemon = await startDaemon()
  const { passed, output } = await runSuite(['server', '--url', await addToken((await daemon.listen()).url)])
  expect(passed, output).toEqual(expect.arrayContaining(SCENARIOS))
})
