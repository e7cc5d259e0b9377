import { hash } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { canonicalJson } from '../knowledge/canonical-json/canonical-json.ts'
import type { LearnedLesson, Lesson } from '../knowledge/interpret/draft/lesson.ts'
import { LessonNeeded } from '../domain/proposals/draft/learned-workflow.ts'
import { type Compile, compileWith } from '../domain/proposals/draft/skill-draft.ts'
import { Failure } from '../failure/failure.ts'
import type { LessonLearner, RecordedTraces } from './ports.ts'

/** A lesson changes between two attempts only if somebody answers or revises at the same time. */
const MAX_ATTEMPTS = 5
const MAX_LEARNED = 8

/** Interprets demonstrations for commands that draft. An interpretation takes too long for a transaction. */
export class Lessons {
  readonly #learner: LessonLearner
  /** The latest lessons by their input. Pages ask again and again what was understood so far. */
  readonly #learned = new Map<string, Promise<LearnedLesson | undefined>>()
  readonly #closing = new AbortController()

  constructor(learner: LessonLearner) {
    this.#learner = learner
    // Every interpretation that waits listens to it.
    setMaxListeners(0, this.#closing.signal)
  }

  /** Ends what is being interpreted, because the daemon stops. */
  close(): void {
    this.#closing.abort(new Failure('SHUTTING_DOWN', 'The daemon is stopping.'))
  }

  /** Undefined if no screen is kept. */
  async learn(recorded: RecordedTraces, lesson: Lesson): Promise<LearnedLesson | undefined> {
    if (!hasScreens(recorded)) return undefined
    const key = hash('sha256', JSON.stringify([recorded, lesson]), 'hex')
    const known = this.#learned.get(key)
    if (known !== undefined) return known
    const learning = this.#learner({ ...recorded, lesson }, { signal: this.#closing.signal })
    this.#learned.set(key, learning)
    const [oldest] = this.#learned.keys()
    if (this.#learned.size > MAX_LEARNED && oldest !== undefined) this.#learned.delete(oldest)
    learning.catch(() => this.#learned.delete(key))
    return learning
  }

  /**
   * Runs a command that drafts. What it needs to learn depends on what it reads and writes, so its first attempt says
   * what that is and is rolled back. `command` is called again with what was learned.
   */
  async draft<T>(recorded: RecordedTraces, command: (compile: Compile) => Promise<T>): Promise<T> {
    const known = new Map<string, () => LearnedLesson | undefined>()
    const compile = compileWith((lesson) => {
      if (!hasScreens(recorded)) return undefined
      const found = known.get(canonicalJson(lesson))
      if (found === undefined) throw new LessonNeeded(lesson)
      return found()
    })
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      try {
        return await command(compile)
      } catch (error) {
        if (!(error instanceof LessonNeeded)) throw error
        known.set(canonicalJson(error.lesson), await this.#attempt(recorded, error.lesson))
      }
    }
    throw new Failure('OVERLOADED', 'The session changed while its demonstration was interpreted. Try again.')
  }

  /** A failure refuses the command. Any other error is thrown by the compilation, so that the command records it. */
  async #attempt(recorded: RecordedTraces, lesson: Lesson): Promise<() => LearnedLesson | undefined> {
    try {
      const learned = await this.learn(recorded, lesson)
      return () => learned
    } catch (error) {
      if (error instanceof Failure) throw error
      return () => {
        throw error
      }
    }
  }
}

/** Whether a screen of these traces is kept. */
export const hasScreens = ({ files }: RecordedTraces): boolean => Object.keys(files).length > 0
