import { isError } from '../../src/knowledge/recipes/parse/violations.ts'
import { validateRecipe } from '../../src/knowledge/recipes/check/validate.ts'
import { interpretTraces } from '../../src/knowledge/interpret/draft/interpret.ts'
import { climateLessons } from './learning-climate.ts'
import { type LabReport, openLab } from './learning-lab.ts'
import { notesLessons } from './learning-notes.ts'
import { judge, type Lesson, type Trial, type Verdict } from './learning-lesson.ts'
import { otherLessons } from './learning-others.ts'
import { portalLessons } from './learning-portal.ts'
import { settingsLessons } from './learning-settings.ts'
import { shopLessons } from './learning-shop.ts'

interface Outcome {
  readonly lesson: string
  readonly trial: string
  readonly verdict: Verdict
  readonly result: string
}

const lessons = [
  ...climateLessons,
  ...notesLessons,
  ...portalLessons,
  ...settingsLessons,
  ...shopLessons,
  ...otherLessons,
]

const filter = process.argv[2]
const lab = await openLab()
const outcomes: Outcome[] = []
for (const lesson of lessons) {
  if (filter !== undefined && !`${lesson.app} ${lesson.name}`.includes(filter)) continue
  outcomes.push(...(await tryLesson(lesson)))
}
await lab.close()
printReport(outcomes)

async function tryLesson(lesson: Lesson): Promise<Outcome[]> {
  const { trace } = await lab.demonstrate(lesson.actions, {
    prepare: lesson.prepare,
    options: lesson.options,
  })
  const context = { goal: lesson.goal, marks: [], ...lesson.context }
  const { recipe, doubts } = interpretTraces([trace], context)
  const faults = recipe === undefined ? [] : validateRecipe(recipe).filter(isError)
  const results: Outcome[] = []
  for (const trial of lesson.trials) {
    const subject = { lesson: `${lesson.app} ${lesson.name}`, trial: trial.name }
    if (recipe === undefined || faults.length > 0) {
      const reasons = [...faults.map(({ message }) => message), ...doubts.map(({ reason }) => reason)]
      results.push({ ...subject, verdict: 'wrong', result: reasons.join('; ') })
      continue
    }
    const { inputs, prepare, meanwhile, options } = trial
    const report = await lab.run(recipe, { inputs, prepare, meanwhile, options })
    results.push({
      ...subject,
      verdict: judgeReport(trial, report),
      result: formatResult(report),
    })
  }
  return results
}

function judgeReport(trial: Trial, { phone, envelope }: LabReport): Verdict {
  return judge(trial, { phone, succeeded: envelope?.status === 'success' })
}

function formatResult({ refused, envelope }: LabReport): string {
  if (refused !== undefined) return `refused: ${refused.join('; ')}`
  return envelope?.status === 'success' ? 'done' : (envelope?.error ?? '')
}

function printReport(all: readonly Outcome[]): void {
  const width = Math.max(...all.map(({ lesson }) => lesson.length))
  for (const { lesson, trial, verdict, result } of all) {
    console.log(`${verdict.padEnd(13)} ${lesson.padEnd(width)}  ${trial.padEnd(34)} ${result}`)
  }
  const right = all.filter(({ verdict }) => verdict === 'right').length
  const falseSuccesses = all.filter(({ verdict }) => verdict === 'false success').length
  const rate = ((100 * right) / all.length).toFixed(1)
  console.log(`\n${right} of ${all.length} right (${rate}%), ${falseSuccesses} false successes`)
  process.exitCode = falseSuccesses === 0 && right >= 0.95 * all.length ? 0 : 1
}
