import { resolve } from 'node:path'
import { checkApp } from './check-app.ts'

/** `npx tsx test/apps/check.ts <app> ...`: validates apps and their lessons and prints what is wrong. */
const apps = process.argv.slice(2)
let faultCount = 0
for (const app of apps) {
  const { faults, lessons, variations } = await checkApp(resolve(app.replace(/\.json$/, '')))
  faultCount += faults.length
  for (const fault of faults) process.stdout.write(`${app}: ${fault}\n`)
  process.stdout.write(`${app}: ${lessons} lessons, ${variations} variations, ${faults.length} faults\n`)
}
process.exitCode = faultCount === 0 ? 0 : 1
