import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { adminToken, startDaemon } from '../kit/daemon.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const SUITE = join(ROOT, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js')

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

/** The names of the scenarios that passed, and everything that was printed. */
async function runSuite(url: string): Promise<{ readonly passed: string[]; readonly output: string }> {
  const hook = join(import.meta.dirname, 'glob-sync-hook.mjs')
  const args = ['--import', hook, SUITE, 'server', '--url', url]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text: Buffer) => {
      output += String(text)
    })
  }
  await once(child, 'close')
  const passed = [...output.matchAll(/^✓ ([a-z0-9-]+): [1-9]\d* passed, 0 failed/gm)].map(([, name = '']) => name)
  return { passed, output }
}

test('the server passes the scenarios of the official conformance suite', async () => {
  const daemon = await startDaemon()
  const { passed, output } = await runSuite(await addToken((await daemon.listen()).url))
  expect(passed, output).toEqual(expect.arrayContaining(SCENARIOS))
})
