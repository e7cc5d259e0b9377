import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createHome, serve } from '../commands/program.ts'
import { startCollector } from './collector.ts'

const HOOK = join(import.meta.dirname, 'list-modules.cjs')

/** Starts the built program, sends a request, stops it, and returns the modules of OpenTelemetry that it loaded. */
async function listLoaded(env: Record<string, string>): Promise<string[]> {
  const daemon = await serve(createHome(), { NODE_OPTIONS: `--require ${HOOK}`, ...env })
  let stderr = ''
  daemon.child.stderr?.on('data', (text: Buffer) => {
    stderr += String(text)
  })
  expect((await fetch(`${daemon.url}/healthz`)).status).toBe(200)
  expect(await daemon.stop()).toBe(0)
  const [, loaded = 'null'] = /^loaded: (.*)$/m.exec(stderr) ?? []
  return JSON.parse(loaded) as string[]
}

test('the program loads OpenTelemetry only if there is an address for traces', async () => {
  expect(await listLoaded({})).toEqual([])
  const collector = await startCollector()
  const loaded = await listLoaded({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SERVICE_NAME: 'phones' })
  expect(loaded.some((file) => file.includes('sdk-trace'))).toBe(true)
  expect(collector.spans.map(({ name }) => name)).toContain('GET /healthz')
  expect(collector.text()).toContain('phones')
})
