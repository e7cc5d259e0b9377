import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type AppFiles, type AppSet, listApps } from '../apps/app-list.ts'
import { type LessonResult, measureApp } from './development-set-app.ts'
import { formatFaults, formatSummaries, formatUnsafe, type Summaries, summarize } from './development-set-report.ts'
import { outputFolder } from './servers.ts'
import { measureVirtualApps } from './virtual/measure-apps.ts'

/**
 * `npx tsx test/bench/development-set.ts [filter] [--verbose] [--touch | --executions | --virtual [--kind a,b]]`: teaches the lessons of the
 * development set to a daemon and measures in how many variations the learned skills do the right thing. The filter is a
 * part of `<set>/<app>`. The demonstrations are inputs on the live screen; with `--touch`, touches on the phone itself;
 * with `--executions`, executions with selectors while the session captures. With `--virtual`, interpreter, compiler and engine are called without a daemon and on a virtual clock, which
 * takes a fraction of the time; `--kind` names the kinds of variations to run. With `--verbose`, prints what is not right
 * in `work`. Of `look` only figures are printed and written, and which kinds of claims a false success trusted.
 * `virtual/try-lesson.ts` shows one lesson in detail.
 */
const { values: options, positionals } = parseArgs({
  options: {
    verbose: { type: 'boolean', default: false },
    touch: { type: 'boolean', default: false },
    executions: { type: 'boolean', default: false },
    virtual: { type: 'boolean', default: false },
    kind: { type: 'string' },
  },
  allowPositionals: true,
})
/** Runs spend most of their time waiting. */
const APPS_AT_ONCE = 6

const [filter = ''] = positionals
const channel = options.touch ? 'touch' : options.executions ? 'executions' : 'live_screen'
const apps = listApps().filter(({ set, name }) => `${set}/${name}`.includes(filter))
const order = new Map(apps.map(({ path }, at) => [path, at]))
const measured = options.virtual ? await measureVirtually(apps) : await measureAll(apps)
const results = measured.toSorted((a, b) => (order.get(a.app.path) ?? 0) - (order.get(b.app.path) ?? 0))
const ofSet = (set: AppSet) => results.filter(({ app }) => app.set === set)
const summaries: Summaries = { work: summarize(ofSet('work')), look: summarize(ofSet('look')) }
process.stdout.write(`\nDevelopment set\n\n${formatSummaries(summaries)}\n`)
const unsafe = formatUnsafe(results)
if (unsafe !== '') process.stdout.write(`\n${unsafe}\n`)
if (options.verbose) process.stdout.write(`\n${formatFaults(ofSet('work'))}\n`)
writeResults()

async function measureVirtually(all: readonly AppFiles[]): Promise<LessonResult[]> {
  const found: LessonResult[] = []
  const startedMs = performance.now()
  await measureVirtualApps({ apps: all, kinds: options.kind?.split(',') }, (app, lessons) => {
    found.push(...lessons)
    printProgress(app, lessons, performance.now() - startedMs)
  })
  return found
}

async function measureAll(all: readonly AppFiles[]): Promise<LessonResult[]> {
  const pending = [...all]
  const found: LessonResult[] = []
  const measureNext = async (): Promise<void> => {
    for (let app = pending.shift(); app !== undefined; app = pending.shift()) {
      const startedMs = performance.now()
      const lessons = await measureApp(app, channel)
      found.push(...lessons)
      printProgress(app, lessons, performance.now() - startedMs)
    }
  }
  await Promise.all(Array.from({ length: APPS_AT_ONCE }, measureNext))
  return found
}

function printProgress({ set, name }: AppFiles, lessons: readonly LessonResult[], tookMs: number): void {
  const { right, total } = summarize(lessons).all
  const seconds = Math.round(tookMs / 1000)
  process.stderr.write(`${set}/${name}: ${right} of ${total} right, ${seconds} s\n`)
}

function writeResults(): void {
  const lessons = ofSet('work').map(({ app, ...result }) => ({ app: app.name, ...result }))
  mkdirSync(outputFolder, { recursive: true })
  writeFileSync(
    join(outputFolder, 'development-set.json'),
    `${JSON.stringify({ filter, summaries, work: lessons }, undefined, 2)}\n`,
  )
}
