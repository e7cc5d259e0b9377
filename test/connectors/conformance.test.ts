import { join } from 'node:path'
import { expect, test } from 'vitest'
import { adminToken, startDaemon } from '../kit/daemon.ts'
import { hasSuite, runSuite } from '../mcp/conformance-suite.ts'

const CLIENT = join(import.meta.dirname, 'conformance-client.mjs')
/** The suite expects this address where a client publishes a document about itself. */
const client_metadata_url = 'https://conformance-test.local/client-metadata.json'
/** An extension that is not built: tokens of a company for other servers. */
const NOT_BUILT = ['auth/cross-app-access-complete-flow']

test.skipIf(!hasSuite)(
  'the connectors pass every scenario for clients of the official conformance suite, but for one extension',
  async () => {
    const daemon = await startDaemon({
      settings: { connectors: { allowed_hosts: [], bridges: {}, client_metadata_url } },
    })
    const { url } = await daemon.listen()
    const { output: listed } = await runSuite(['list', '--client'])
    const scenarios = [...listed.matchAll(/^ {2}- ([\w/-]+) \[/gm)].map(([, name = '']) => name)
    const command = `${process.execPath} ${CLIENT} ${url}`
    const { passed, failed, output } = await runSuite(
      ['client', '--command', command, '--suite', 'all', '--timeout', '120000'],
      {
        APPRENTICE_TOKEN: adminToken,
      },
    )
    expect(failed, output).toEqual(NOT_BUILT)
    expect(scenarios.length).toBeGreaterThan(20)
    expect([...passed, ...failed].toSorted()).toEqual(scenarios.toSorted())
  },
  300_000,
)
