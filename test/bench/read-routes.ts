import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compared, type Figure, type Measure } from './figure.ts'
import { addSessions, benchToken, makeHome } from './home.ts'
import { interleave, load } from './load.ts'
import { daemonEnv, daemonProgram, startProgram } from './program.ts'
import { serverProgram } from './servers.ts'

const headers = { authorization: `Bearer ${benchToken}` }
const target = 0.7
const path = '/api/learn/sessions?page_size=20'

/** What our gate, our hooks and the database cost a reader. */
export const readRoutes: Figure = {
  name: 'read',
  baseline: 'Fastify with the same zod reply schema, the same payload from memory',
  run: async () => {
    const home = makeHome()
    await addSessions(home, 19, 'cancelled')
    await addSessions(home, 1, 'capturing')
    const ours = startProgram([daemonProgram, 'serve'], daemonEnv(home, benchToken))
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
  const response = await fetch(url + path, { headers })
  if (!response.ok) throw new Error(`${path} answered ${response.status}`)
  writeFileSync(payload, await response.text())
  const bare = startProgram([serverProgram('bare-read'), payload])
  try {
    const { url: bareUrl } = await bare.firstLine
    const asking = (base: string) => (seconds: number) =>
      load({ url: base + path, connections: 20, seconds, headers })
    const rates = await interleave(
      [
        { name: 'ours', run: asking(url) },
        { name: 'bare', run: asking(String(bareUrl)) },
      ],
      { warmSeconds: 2, seconds: 2, turns: 2 },
    )
    return compared(target, {
      what: 'page of 20 sessions',
      ours: rates.ours,
      baseline: rates.bare,
      unit: 'req/s',
    })
  } finally {
    await bare.end('SIGKILL')
  }
}
