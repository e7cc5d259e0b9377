import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compareRates, type Figure, type Measure } from './figure.ts'
import { addSessions, BENCH_TOKEN, createHome } from './home.ts'
import { measureInterleaved, measureLoad } from './load.ts'
import { buildDaemonEnv, daemonProgram, startProgram } from './program.ts'
import { getServerProgram } from './servers.ts'

const headers = { authorization: `Bearer ${BENCH_TOKEN}` }
const TARGET_RATIO = 0.7
const PATH = '/api/learn/sessions?page_size=20'

/** The cost of request guards, hooks and the database for a read request. */
export const readRoutes: Figure = {
  name: 'read',
  baseline: 'Fastify with the same zod reply schema, the same payload from memory',
  run: async () => {
    const home = createHome()
    await addSessions(home, 19, 'cancelled')
    await addSessions(home, 1, 'capturing')
    const ours = startProgram([daemonProgram, 'serve'], buildDaemonEnv(home, BENCH_TOKEN))
    try {
      const { url } = await ours.firstLine
      return [await measure(String(url), home)]
    } finally {
      await ours.end('SIGKILL')
      rmSync(home, { recursive: true, force: true })
    }
  },
}

async function measure(url: string, home: string): Promise<Measure> {
  const payload = join(home, 'payload.json')
  const response = await fetch(url + PATH, { headers })
  if (!response.ok) throw new Error(`${PATH} answered ${response.status}`)
  writeFileSync(payload, await response.text())
  const bare = startProgram([getServerProgram('bare-read'), payload])
  try {
    const { url: bareUrl } = await bare.firstLine
    const createLoad = (base: string) => (seconds: number) =>
      measureLoad({ url: base + PATH, connections: 20, seconds, headers })
    const rates = await measureInterleaved(
      [
        { name: 'ours', run: createLoad(url) },
        { name: 'bare', run: createLoad(String(bareUrl)) },
      ],
      { warmupSeconds: 2, seconds: 2, turns: 2 },
    )
    return compareRates(TARGET_RATIO, {
      what: 'page of 20 sessions',
      ours: rates.ours,
      baseline: rates.bare,
      unit: 'req/s',
    })
  } finally {
    await bare.end('SIGKILL')
  }
}
