import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import readXlsxFile from 'read-excel-file/node'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { SceneGeneration } from '@apprentice/contracts/scenes/generations.ts'
import { openBundleFile } from '../../src/files/bundle-storage.ts'
import { type Daemon, shareDaemon } from '../kit/daemon.ts'
import { upload } from '../skill-import/import-kit.ts'
import { browserPath, runScene } from './page-scene.ts'
import { zipScenario } from './scenario-files.ts'

const daemon = shareDaemon({ now: '2026-04-15T08:00:00.000Z' })

/** Generates a package over the API and returns its files. */
async function generate(on: Daemon, name: string, answers: object): Promise<Map<string, string>> {
  const { temp_artifact } = await upload(on, zipScenario(name))
  const { temp_artifact_ref } = temp_artifact
  const reply = await on.post('/api/scenes/generate', { temp_artifact_ref, answers })
  const { generation_id } = reply.json<{ generation: SceneGeneration }>().generation
  await on.system.jobs.waitUntilSettled(generation_id, 120_000)
  const file = join(on.home, `${generation_id}.zip`)
  writeFileSync(file, (await on.get(`/api/scenes/generations/${generation_id}/package`)).rawPayload)
  const bundle = await openBundleFile(file)
  const found = new Map<string, string>()
  for (const entry of bundle.entries) {
    const parts: Buffer[] = []
    for await (const part of bundle.unpack(entry)) parts.push(Buffer.from(part))
    found.set(entry.path, Buffer.concat(parts).toString('utf8'))
  }
  await bundle.close()
  return found
}

/** Puts a package into the home and waits until the running daemon has registered it. */
async function install(on: Daemon, files: ReadonlyMap<string, string>, id: string): Promise<void> {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(on.home, 'skills', path)), { recursive: true })
    writeFileSync(join(on.home, 'skills', path), text)
  }
  await vi.waitFor(
    async () => {
      const reply = await on.get(`/api/scenes/${id}`)
      if (reply.statusCode !== 200) throw new Error(reply.body)
    },
    { timeout: 30_000, interval: 50 },
  )
}

describe.skipIf(browserPath === undefined)('from an uploaded folder to a spreadsheet', () => {
  test('a generated package runs in the daemon that generated it', async () => {
    const files = await generate(daemon(), 'iframe-export', { id: 'outages', stand_in: true })
    await install(daemon(), files, 'outages')
    const run = await runScene(daemon(), { instruction: 'outage North 2026-03-14。。。' })
    expect(run).toMatchObject({
      scene_id: 'outages',
      state: 'succeeded',
      plan: { args: { district_label: 'North', district_code: 'D1', day: '2026-03-14' } },
      outcome: { artifact_status: 'ok', contained: [], report: { period: '2026-03-14', row_count: 2 } },
    })
    const report = await daemon().get(`/api/scenes/runs/${run.run_id}/report?format=xlsx`)
    const [sheet] = await readXlsxFile(report.rawPayload)
    expect(sheet?.data).toEqual([
      ['Feeder', 'Start', 'Minutes'],
      ['N-04', '2026-03-14 02:10', 35],
      ['N-11', '2026-03-14 17:42', 8],
    ])
  })

  test('a paged request asks for all pages, with the session of the page', async () => {
    const system = await openSales(45)
    onTestFinished(() => system.close())
    const files = await generate(daemon(), 'fetch-grid', { id: 'sales' })
    const manifest = files.get('sales/scene.toml') ?? ''
    // The address of a test server is refused by the lessons, so it is put in afterwards.
    files.set(
      'sales/scene.toml',
      manifest.replace('marketing.example:8080', `127.0.0.1:${system.port}`).replace('marketing.example', '127.0.0.1'),
    )
    await install(daemon(), files, 'sales')
    const run = await runScene(daemon(), { instruction: '白银公司 2026年3月 售电量。。。' })
    expect(run.outcome).toMatchObject({ artifact_status: 'ok', report: { row_count: 45, warnings: [] } })
    expect(system.received).toEqual(
      [1, 2, 3].map((pageNo) => ({ orgNo: '62403', statMonth: '2026-03', dataType: '01', pageNo, pageSize: 20 })),
    )
    system.endSession()
    const blocked = await runScene(daemon(), { instruction: '白银公司 2026年3月 售电量。。。' })
    expect(blocked).toMatchObject({ state: 'failed', outcome: { artifact_status: 'blocked' } })
  })
})

/** A system with pages of rows, for callers with the token that its page keeps. */
async function openSales(total: number) {
  const received: { pageNo: number; pageSize: number }[] = []
  let token = 'T-1'
  const server = createServer((request, reply) => void answer(request, reply))
  const answer = async (request: IncomingMessage, reply: ServerResponse): Promise<unknown> => {
    if (request.url === '/sales/monthly') {
      reply.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      return reply.end('<title>售电量月报</title><script>localStorage.setItem("token", "T-1")</script>')
    }
    if (request.headers.authorization !== token) return reply.writeHead(401).end()
    const query = (await json(request)) as (typeof received)[number]
    received.push(query)
    const from = (query.pageNo - 1) * query.pageSize
    const count = Math.max(0, Math.min(query.pageSize, total - from))
    const records = Array.from({ length: count }, (_, at) => ({
      orgName: `所 ${from + at}`,
      userCount: from + at,
      saleKwh: '1,200.50',
      amount: '600.25',
    }))
    reply.writeHead(200, { 'content-type': 'application/json' })
    return reply.end(JSON.stringify({ code: 0, data: { total, records } }))
  }
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    port,
    received,
    endSession: () => {
      token = 'T-2'
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
