import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { adminToken, startDaemon } from '../kit/daemon.ts'
import { hasSuite, runSuite, SUITE } from './conformance-suite.ts'

/** Scenarios that call tools, resources or prompts of the suite's own, by the name that they need. All others must pass. */
const OWN_NAMES: Readonly<Record<string, string>> = {
  'completion-complete': 'test_prompt_with_arguments',
  'tools-call-simple-text': 'test_simple_text',
  'tools-call-image': 'test_image_content',
  'tools-call-audio': 'test_audio_content',
  'tools-call-embedded-resource': 'test_embedded_resource',
  'tools-call-mixed-content': 'test_multiple_content_types',
  'tools-call-with-logging': 'test_tool_with_logging',
  'tools-call-with-progress': 'test_tool_with_progress',
  'tools-call-sampling': 'test_sampling',
  'tools-call-elicitation': 'test_elicitation',
  'json-schema-2020-12': 'json_schema_2020_12_tool',
  'elicitation-sep1034-defaults': 'test_elicitation_sep1034_defaults',
  'elicitation-sep1330-enums': 'test_elicitation_sep1330_enums',
  'server-sse-polling': 'test_reconnection',
  'resources-read-text': 'test://static-text',
  'resources-read-binary': 'test://static-binary',
  'resources-templates-read': 'test://template/123/data',
  'resources-subscribe': 'test://watched-resource',
  'resources-unsubscribe': 'test://watched-resource',
  'prompts-get-simple': 'test_simple_prompt',
  'prompts-get-with-args': 'test_prompt_with_arguments',
  'prompts-get-embedded-resource': 'test_prompt_with_embedded_resource',
  'prompts-get-with-image': 'test_prompt_with_image',
}
/** The scenarios of the suite that need nothing of its own. */
const OTHERS = [
  'dns-rebinding-protection',
  'logging-set-level',
  'ping',
  'prompts-list',
  'resources-list',
  'server-initialize',
  'server-sse-multiple-streams',
  'tools-call-error',
  'tools-list',
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

test.skipIf(!hasSuite)('the server passes every scenario that does not need tools of the suite', async () => {
  const daemon = await startDaemon()
  const url = await addToken((await daemon.listen()).url)
  const { ran, passed, output } = await runSuite(['server', '--suite', 'all', '--url', url])
  expect(ran.filter((name) => OWN_NAMES[name] === undefined).toSorted(), output).toEqual(OTHERS)
  expect(
    OTHERS.filter((name) => !passed.includes(name)),
    output,
  ).toEqual([])
})

test('the scenarios that are left out name what they need', () => {
  const suite = readFileSync(SUITE, 'utf8')
  for (const [scenario, name] of Object.entries(OWN_NAMES)) {
    expect([scenario, suite.includes(scenario), suite.includes(name)]).toEqual([scenario, true, true])
  }
})
