import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { outputFolder } from '../bench/servers.ts'
import { performAttack } from './perform-attack.ts'
import { type AttackPlan, FULL_PLAN, SHORT_PLAN } from './plan.ts'

// `npm run attack`: attacks daemons of its own on loopback, prints the figures and writes them as JSON.
const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    seed: { type: 'string' },
    requests: { type: 'string' },
    kills: { type: 'string' },
    'disk-full': { type: 'string' },
    bundles: { type: 'string' },
    'device-faults': { type: 'string' },
    out: { type: 'string' },
  },
})

const report = await performAttack(choosePlan(), (line) => process.stderr.write(`[attack] ${line}\n`))
const file = values.out ?? join(outputFolder, 'attack.json')
mkdirSync(join(file, '..'), { recursive: true })
const text = `${JSON.stringify(report, null, 2)}\n`
writeFileSync(file, text)
process.stdout.write(
  `${text}${report.faults.length === 0 ? 'No fault was found' : `${report.faults.length} faults`}. ${file}\n`,
)
process.exitCode = report.faults.length === 0 ? 0 : 1

function choosePlan(): AttackPlan {
  const plan = values.short ? SHORT_PLAN : FULL_PLAN
  const choose = (given: string | undefined, usual: number) => (given === undefined ? usual : Number(given))
  return {
    ...plan,
    seed: choose(values.seed, plan.seed),
    requests: choose(values.requests, plan.requests),
    kills: choose(values.kills, plan.kills),
    disk_full: choose(values['disk-full'], plan.disk_full),
    bundles: choose(values.bundles, plan.bundles),
    device_faults: choose(values['device-faults'], plan.device_faults),
  }
}
