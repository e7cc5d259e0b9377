import type { Affordance } from '../knowledge/goal-search/affordances.ts'
import { toEditAction, toWayAction, describeStep, startApp } from '../knowledge/goal-search/planned-actions.ts'
import type { Goal } from '../knowledge/goal-search/goal.ts'
import { findSaveButton } from '../knowledge/goal-search/ways.ts'
import {
  beginProof,
  discardProof,
  saveProof,
  findLastObservedEvent,
  pauseProof,
} from '../domain/practice/practice-record.ts'
import type { SearchScreen } from '../knowledge/goal-search/search-screen.ts'
import { type PlannedEdit, evaluateGoal } from '../knowledge/goal-search/goal-status.ts'
import { planNextTouch, type StepEdit } from '../knowledge/goal-search/stepper.ts'
import type { PracticeRow } from '../store/practice/practices.ts'
import type { CommandContext } from '../domain/command/context.ts'
import { type PracticeDeps, type PracticeDevice, PracticeStopped, writePractice } from './practice-device.ts'

const MAX_SAVE_TAPS = 3
const MAX_STEPPER_TAPS = 60

/**
 * Executes a path and the edits at its end once from the start of the app, under observation. Then restarts the app
 * and checks the result. The observation is saved only if the goal holds.
 */
export class PracticeProof {
  readonly #deps: PracticeDeps
  readonly #device: PracticeDevice
  readonly #practice: PracticeRow
  readonly #goal: Goal

  constructor(
    deps: PracticeDeps,
    device: PracticeDevice,
    parts: { readonly practice: PracticeRow; readonly goal: Goal },
  ) {
    this.#deps = deps
    this.#device = device
    this.#practice = parts.practice
    this.#goal = parts.goal
  }

  /** Returns true when the goal is proven and the proof saved. */
  async attempt(path: readonly Affordance[], plan: readonly PlannedEdit[]): Promise<boolean> {
    const { practice_id, learn_session_id } = this.#practice
    await this.#device.stopApps()
    const after = this.#deps.store.read((reader) => findLastObservedEvent(reader, learn_session_id) ?? null)
    await this.#writeOrStop((ctx) => beginProof(ctx, practice_id, this.#deps.rules))
    const steps = await this.#execute(path, plan)
    await this.#writeOrStop((ctx) => pauseProof(ctx, practice_id))
    if (steps === undefined || !(await this.#holdsAfterRestart(path))) {
      await this.#writeOrStop((ctx) => discardProof(ctx, practice_id))
      return false
    }
    const proof = { after: after ?? undefined, path: steps }
    return this.#write((ctx) => saveProof(ctx, practice_id, proof) !== undefined)
  }

  /** Returns a description of each step, or undefined when one failed. */
  async #execute(path: readonly Affordance[], plan: readonly PlannedEdit[]): Promise<string[] | undefined> {
    const { application_id } = this.#practice
    if (!(await this.#device.execute(startApp(application_id)))) return undefined
    const steps = [`Open ${application_id}`]
    await this.#device.readScreen()
    for (const way of path) {
      if (!(await this.#device.execute(toWayAction(way)))) return undefined
      await this.#device.readScreen()
      steps.push(describeStep(way))
    }
    for (const edit of plan) {
      if (!(await this.#edit(edit))) return undefined
      steps.push(describeStep(edit))
    }
    if (plan.length > 0) steps.push(...(await this.#saveChange()))
    return steps
  }

  async #edit(edit: PlannedEdit): Promise<boolean> {
    if (edit.kind === 'step') return this.#step(edit)
    const succeeded = await this.#device.execute(toEditAction(edit))
    await this.#device.readScreen()
    return succeeded
  }

  async #step(edit: StepEdit): Promise<boolean> {
    let before: number | undefined
    for (let count = 0; count < MAX_STEPPER_TAPS; count += 1) {
      const { screen } = await this.#device.readScreen()
      const next = planNextTouch(edit, screen, before)
      if (next === 'reached') return true
      if (next === 'unreachable' || !(await this.#device.execute(next.touch))) return false
      before = next.current
    }
    return false
  }

  /** Taps the button that saves the change, and those of confirmation dialogs. */
  async #saveChange(): Promise<string[]> {
    const steps: string[] = []
    for (let count = 0; count < MAX_SAVE_TAPS; count += 1) {
      const { screen } = await this.#device.readScreen()
      if (count > 0 && !screen.is_dialog) break
      const button = findSaveButton(screen, this.#practice.policy)
      if (button === undefined || !(await this.#device.execute(toWayAction(button)))) break
      steps.push(describeStep(button))
    }
    return steps
  }

  /** A goal to open a screen is checked at once, other goals after a restart of the app. */
  async #holdsAfterRestart(path: readonly Affordance[]): Promise<boolean> {
    if (this.#goal.kind === 'open') return this.#holds(await this.#device.readScreen(), path)
    if (!(await this.#device.restartApp())) return false
    let reading = await this.#device.readScreen()
    for (const [at, way] of path.entries()) {
      if (this.#holds(reading, path.slice(0, at))) return true
      if (!(await this.#device.execute(toWayAction(way)))) return false
      reading = await this.#device.readScreen()
    }
    return this.#holds(reading, path)
  }

  #holds({ screen }: SearchScreen, path: readonly Affordance[]): boolean {
    const trail = path.map(({ label }) => label)
    return evaluateGoal(this.#goal, { screen, trail }).state === 'holds'
  }

  async #writeOrStop(work: (ctx: CommandContext) => boolean): Promise<void> {
    if (!(await this.#write(work))) throw new PracticeStopped('moved_on')
  }

  #write(work: (ctx: CommandContext) => boolean): Promise<boolean> {
    return writePractice(this.#deps, this.#practice, work)
  }
}
