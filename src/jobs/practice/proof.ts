import type { Affordance } from '../../knowledge/goal-search/affordances.ts'
import {
  toEditAction,
  toWayAction,
  describeStep,
  startApp,
  GO_BACK,
} from '../../knowledge/goal-search/planned-actions.ts'
import { type ClosedWay, findSaveButton } from '../../knowledge/goal-search/ways.ts'
import {
  beginProof,
  discardProof,
  saveProof,
  findLastObservedEvent,
  pauseProof,
} from '../../domain/practice/practice-record.ts'
import type { SearchScreen } from '../../knowledge/goal-search/search-screen.ts'
import { countShown, evaluateSubGoal } from '../../knowledge/goal-search/evaluate-goal.ts'
import type { PlannedEdit, StepEdit } from '../../knowledge/goal-search/planned-edit.ts'
import type { ProofTask } from '../../knowledge/goal-search/pursuit.ts'
import { planNextTouch, type StepState } from '../../knowledge/goal-search/stepper.ts'
import type { PracticeRow } from '../../store/practice/practices.ts'
import type { CommandContext } from '../../domain/command/context.ts'
import { type PracticeDeps, type PracticeDevice, PracticeStopped, writePractice } from './device.ts'

const MAX_SAVE_TAPS = 3
const MAX_STEPPER_TAPS = 60
const MAX_BACKS = 4

export type ProofResult =
  | { readonly proven: true }
  /** The task that could not be done, or did not hold at the end. */
  | { readonly proven: false; readonly failed: ProofTask | undefined }

/**
 * Executes the tasks of a goal once from the start of the app, under observation. Then restarts the app and checks the
 * results. The observation is saved only if all of them hold.
 */
export class PracticeProof {
  /** What the policy refused during proofs. */
  readonly closed: ClosedWay[] = []
  readonly #deps: PracticeDeps
  readonly #device: PracticeDevice
  readonly #practice: PracticeRow

  constructor(deps: PracticeDeps, device: PracticeDevice, practice: PracticeRow) {
    this.#deps = deps
    this.#device = device
    this.#practice = practice
  }

  async attempt(tasks: readonly ProofTask[]): Promise<ProofResult> {
    const { practice_id, learn_session_id } = this.#practice
    await this.#device.stopApps()
    const after = this.#deps.store.read((reader) => findLastObservedEvent(reader, learn_session_id) ?? null)
    await this.#writeOrStop((ctx) => beginProof(ctx, practice_id, this.#deps.rules))
    const steps: string[] = []
    const broken = await this.#execute(tasks, steps)
    await this.#writeOrStop((ctx) => pauseProof(ctx, practice_id))
    const failed = broken ?? (await this.#findUnproven(tasks))
    if (failed !== undefined) {
      await this.#writeOrStop((ctx) => discardProof(ctx, practice_id))
      return { proven: false, failed }
    }
    const proof = { after: after ?? undefined, path: steps }
    const saved = await this.#write((ctx) => saveProof(ctx, practice_id, proof) !== undefined)
    return saved ? { proven: true } : { proven: false, failed: undefined }
  }

  /** Adds a description of each step. Returns the task that failed. */
  async #execute(tasks: readonly ProofTask[], steps: string[]): Promise<ProofTask | undefined> {
    const { application_id } = this.#practice
    const open = tasks.filter(({ plan }) => plan !== undefined)
    if (!(await this.#device.execute(startApp(application_id)))) return open[0]
    steps.push(`Open ${application_id}`)
    for (const [at, task] of open.entries()) {
      const ways = at === 0 ? await this.#follow(task.path) : await this.#travel(task)
      if (ways === undefined) return task
      steps.push(...ways.map(describeStep))
      const { plan = [] } = task
      for (const edit of plan) {
        if (!(await this.#edit(edit))) return task
        steps.push(describeStep(edit))
      }
      const next = open[at + 1]
      if (plan.length > 0 && !(next !== undefined && sharesForm(task, next))) steps.push(...(await this.#saveChange()))
      if (
        task.sub_goal.desired.kind === 'open' &&
        !this.#holds(await this.#device.readScreen(), task, task.path.length)
      ) {
        return task
      }
    }
    return undefined
  }

  async #follow(path: readonly Affordance[]): Promise<readonly Affordance[] | undefined> {
    await this.#device.readScreen()
    for (const way of path) {
      if (!(await this.#device.execute(toWayAction(way)))) return undefined
      await this.#device.readScreen()
    }
    return path
  }

  /** Goes on from the screen of another task: by the back key to a place on the path, otherwise from the start. */
  async #travel({ path, stops }: ProofTask): Promise<readonly Affordance[] | undefined> {
    for (let backs = 0; backs <= MAX_BACKS; backs += 1) {
      const { place } = await this.#device.readScreen()
      const at = stops.findLastIndex(
        ({ shape, title, app }) => shape === place.shape && title === place.title && app === place.app,
      )
      if (at !== -1) {
        // Whether a list is still scrolled is unknown.
        const isScrolled = path[at - 1]?.kind === 'scroll'
        return isScrolled ? this.#restartOn(path) : this.#follow(path.slice(at))
      }
      if (!this.#device.isAllowed(place.app) || backs === MAX_BACKS) break
      await this.#device.execute(GO_BACK)
    }
    return this.#restartOn(path)
  }

  async #restartOn(path: readonly Affordance[]): Promise<readonly Affordance[] | undefined> {
    return (await this.#device.restartApp()) ? this.#follow(path) : undefined
  }

  async #edit(edit: PlannedEdit): Promise<boolean> {
    if (edit.kind === 'step') return this.#step(edit)
    const succeeded = await this.#device.execute(toEditAction(edit))
    await this.#device.readScreen()
    return succeeded
  }

  async #step(edit: StepEdit): Promise<boolean> {
    let before: StepState | undefined
    for (let count = 0; count < MAX_STEPPER_TAPS; count += 1) {
      const { screen } = await this.#device.readScreen()
      const next = planNextTouch(edit, screen, before)
      if (next === 'reached') return true
      if (next === 'unreachable' || !(await this.#device.execute(next.touch))) return false
      before = next.state
    }
    return false
  }

  /** Taps the button that saves the change, those of confirmation dialogs, and that of the form behind a dialog. */
  async #saveChange(): Promise<string[]> {
    const steps: string[] = []
    for (let count = 0; count < MAX_SAVE_TAPS; count += 1) {
      const { screen } = await this.#device.readScreen()
      const { button, closed } = findSaveButton(screen, this.#practice.policy, count === 0)
      this.closed.push(...closed)
      if (button === undefined || !(await this.#device.execute(toWayAction(button)))) break
      steps.push(describeStep(button))
    }
    return steps
  }

  /** Restarts the app and looks along the path of each task. Returns the first one that does not hold. */
  async #findUnproven(tasks: readonly ProofTask[]): Promise<ProofTask | undefined> {
    const lasting = tasks.filter(({ sub_goal }) => sub_goal.desired.kind !== 'open')
    const paths = new Map(lasting.map((task) => [formatPath(task), task.path]))
    for (const [key, path] of paths) {
      const open = new Set(lasting.filter((task) => formatPath(task) === key))
      if (!(await this.#device.restartApp())) return [...open][0]
      for (let at = 0; at <= path.length; at += 1) {
        const reading = await this.#device.readScreen()
        for (const task of open) if (this.#holds(reading, task, at)) open.delete(task)
        const way = path[at]
        if (open.size === 0 || way === undefined) break
        if (!(await this.#device.execute(toWayAction(way)))) break
      }
      const [failed] = open
      if (failed !== undefined) return failed
    }
    return undefined
  }

  /** Whether the screen after `at` ways of the path shows the result. */
  #holds({ screen }: SearchScreen, { sub_goal, path, stops, shown }: ProofTask, at: number): boolean {
    const trail = path.slice(0, at).map(({ label }) => label)
    const context = { screen, trail, titles: stops.slice(0, at).map(({ title }) => title) }
    if (evaluateSubGoal(sub_goal, context).state === 'holds') return true
    return countShown(sub_goal, context) > (shown[at] ?? Number.POSITIVE_INFINITY)
  }

  async #writeOrStop(work: (ctx: CommandContext) => boolean): Promise<void> {
    if (!(await this.#write(work))) throw new PracticeStopped('moved_on')
  }

  #write(work: (ctx: CommandContext) => boolean): Promise<boolean> {
    return writePractice(this.#deps, this.#practice, work)
  }
}

const formatPath = ({ path }: ProofTask): string => JSON.stringify(path.map(({ key }) => key))

/** Two changes of one form are saved together; two new entries are not. */
const sharesForm = (one: ProofTask, other: ProofTask): boolean =>
  one.sub_goal.desired.kind !== 'text' &&
  other.sub_goal.desired.kind !== 'text' &&
  formatPath(one) === formatPath(other)
