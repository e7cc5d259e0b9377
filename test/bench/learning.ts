import { isError } from '../../src/knowledge/recipes/parse/violations.ts'
import { validateRecipe } from '../../src/knowledge/recipes/check/validate.ts'
import { interpretRuns } from '../../src/knowledge/interpret/draft/interpret.ts'
import { climateLessons } from './learning-climate.ts'
import { type Lab, openLab, type RunReport } from './learning-lab.ts'
import { notesLessons } from './learning-notes.ts'
import { judge, type Lesson, type Trial, type Verdict } from './learning-pair.ts'
import { otherLessons } from './learning-others.ts'
import { portalLessons } from './learning-portal.ts'
import { settingsLessons } from './learning-settings.ts'
import { shopLessons } from './learning-shop.ts'

interface Outcome {
  readonly lesson: string
  readonly trial: string
  readonly verdict: Verdict
  readonly said: string
}

const lessons = [
  ...climateLessons,
  ...notesLessons,
  ...portalLessons,
  ...settingsLessons,
  ...shopLessons,
  ...otherLessons,
]

const wanted = process.argv[2]
const lab = await openLab()
const outcomes: Outcome[] = []
for (const lesson of lessons) {
  if (wanted !== undefined && !`${lesson.app} ${lesson.name}`.includes(wanted)) continue
  outcomes.push(...(await learn(lab, lesson)))
}
await lab.close()
report(outcomes)

async function learn(school: Lab, lesson: Lesson): Promise<Outcome[]> {
  const { run } = await school.show(lesson.shown, {
    prepare: lesson.prepare,
    options: lesson.options,
  })
  const context = { goal: lesson.goal, marks: [], ...lesson.context }
  const { recipe, doubts } = interpretRuns([run], context)
  const faults = recipe === undefined ? [] : validateRecipe(recipe).filter(isError)
  const found: Outcome[] = []
  for (const trial of lesson.trials) {
    const about = { lesson: `${lesson.app} ${lesson.name}`, trial: trial.name }
    if (recipe === undefined || faults.length > 0) {
      const said = [...faults.map(({ message }) => message), ...doubts.map(({ reason }) => reason)]
      found.push({ ...about, verdict: 'wrong', said: said.join('; ') })
      continue
    }
    const { inputs, prepare, meanwhile, options } = trial
    const ran = await school.run(recipe, { inputs, prepare, meanwhile, options })
    found.push({ ...about, verdict: verdictOf(trial, ran), said: said(ran) })
  }
  return found
}

function verdictOf(trial: Trial, ran: RunReport): Verdict {
  return judge(trial, { phone: ran.phone, succeeded: ran.envelope?.status === 'success' })
}

function said({ refused, envelope }: RunReport): string {
  if (refused !== undefined) return `refused: ${refused.join('; ')}`
  return envelope?.status === 'success' ? 'done' : (envelope?.error ?? '')
}

function report(all: readonly Outcome[]): void {
  const width = Math.max(...all.map(({ lesson }) => lesson.length))
  for (const { lesson, trial, verdict, said: words } of all) {
    console.log(`${verdict.padEnd(13)} ${lesson.padEnd(width)}  ${trial.padEnd(34)} ${words}`)
  }
  const right = all.filter(({ verdict }) => verdict === 'right').length
  const lies = all.filter(({ verdict }) => verdict === 'false success').length
  const rate = ((100 * right) / all.length).toFixed(1)
  console.log(`\n${right} of ${all.length} right (${rate}%), ${lies} false successes`)
  process.exitCode = lies === 0 && right >= 0.95 * all.length ? 0 : 1
}
