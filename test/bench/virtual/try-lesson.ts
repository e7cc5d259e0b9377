import { parseArgs } from 'node:util'
import { stringify } from 'yaml'
import { listApps } from '../../apps/app-list.ts'
import { measureVirtualApp } from './virtual-app.ts'

/**
 * `npx tsx test/bench/virtual/try-lesson.ts <app> [lesson] [variation]`: teaches one app of `work` on a virtual clock and
 * prints what is not right. With a lesson, also prints what was learned; with a variation, also each step of its run.
 */
const { positionals } = parseArgs({ allowPositionals: true })
const [appName = '', lesson, variation] = positionals
const app = listApps().find(({ set, name }) => set === 'work' && name === appName)
if (app === undefined) throw new Error(`There is no app ${appName} in work.`)
const print = (text: string): void => void process.stdout.write(`${text}\n`)

const results = await measureVirtualApp(app, {
  ...(lesson !== undefined && { lesson }),
  ...(variation !== undefined && { variation }),
  observer: {
    onLearned: (_lesson, { steps, inputs, recipe, doubts, pruned, verification }) => {
      if (lesson === undefined) return
      const learned = steps.map(({ step_id, kind, description, doubt }) => ({ step_id, kind, description, doubt }))
      print(stringify({ learned, pruned, inputs, doubts, verification: verification.map(({ text }) => text), recipe }))
    },
    onRun: (_lesson, { name }, { description, settled }) => {
      if (variation === undefined) return
      print(`--- ${name}: ${description}`)
      for (const { id, success, outcome, data } of settled?.step_results ?? []) {
        print(`${success ? 'ok  ' : 'FAIL'} ${id} ${outcome ?? ''} ${JSON.stringify(data)}`)
      }
    },
  },
})
for (const { lesson: name, failure, inputs, pairs } of results) {
  const right = pairs.filter(({ verdict }) => verdict === 'right').length
  print(`${name}: ${right} of ${pairs.length} right, inputs ${JSON.stringify(inputs)} ${failure ?? ''}`)
  for (const pair of pairs.filter(({ verdict }) => verdict !== 'right')) {
    print(`  ${pair.verdict}  ${pair.variation} (${pair.kind}): ${pair.reason}`)
  }
}
