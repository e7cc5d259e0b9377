import { writeFileSync } from 'node:fs'
import { interpretTraces } from '../../src/knowledge/interpret/draft/interpret.ts'
import { toReview } from '../../src/knowledge/interpret/draft/review.ts'
import { openLab } from './learning-lab.ts'
import { climateLessons } from './learning-climate.ts'
import { notesLessons } from './learning-notes.ts'
import { otherLessons } from './learning-others.ts'
import { portalLessons } from './learning-portal.ts'
import { settingsLessons } from './learning-settings.ts'
import { shopLessons } from './learning-shop.ts'
const lab = await openLab()
const out: unknown[] = []
for (const lesson of [...climateLessons, ...notesLessons, ...portalLessons, ...settingsLessons, ...shopLessons, ...otherLessons]) {
  for (const consent of [true, false]) {
    const { trace: run } = await lab.demonstrate(lesson.actions, { prepare: lesson.prepare, options: lesson.options, consent })
    const w = interpretTraces([run], { goal: lesson.goal, marks: [], ...lesson.context })
    const w2 = interpretTraces([run, { ...run, steps: run.steps.slice(0, -1) }], { goal: lesson.goal, marks: [], ...lesson.context, keep: run.steps.slice(1, 3).map((s) => s.event_id) })
    for (const one of [w, w2]) out.push({ app: lesson.app, name: lesson.name, review: toReview(one, { summary: '', portability_grade: '' }), recipe: one.recipe, checkpoints: one.checkpoints, candidates: one.steps.map(({ step_id, candidates }) => [step_id, candidates]), inputs: one.inputs })
  }
}
await lab.close()
writeFileSync(process.argv[2] ?? '', JSON.stringify(out, null, 1))
