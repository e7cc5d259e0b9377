import { randomUUID } from 'node:crypto'
import { startBudget, withLimits } from '../adb/call-limits.ts'
import type { CallLimits } from '../adb/call-limits.ts'
import type { CommandResult } from '../shell/command-stream.ts'
import type { CommandRunner } from '../shell/device-shell.ts'
import { parseDumpOutput } from '../shell/dump-text.ts'
import type { UiDump } from '../shell/dump-text.ts'
import { buildCommand } from '../adb/quoting.ts'

/** Dumps screens as XML. */
export interface UiSource {
  /** Rejects only with a transport failure. A failed dump resolves with the outcome `failed`. */
  dump(limits: CallLimits): Promise<UiDump>
}

/** Dumps with `uiautomator dump`, which waits for one idle second and gives up after ten seconds. */
export class UiautomatorSource implements UiSource {
  readonly #runner: CommandRunner
  readonly #id = randomUUID()
  #last: Promise<unknown> = Promise.resolve()

  constructor(runner: CommandRunner) {
    this.#runner = runner
  }

  /** Runs one dump at a time, because two UiAutomation clients make each other fail. */
  dump(limits: CallLimits): Promise<UiDump> {
    const budget = startBudget(limits)
    const subject = { serial: this.#runner.serial, what: 'screen dump' }
    const previous = this.#last
    const turn = withLimits(limits, subject, async (scope) => {
      await previous
      scope.commandSent()
      return this.#dumpTwice(() => budget.remainingLimits())
    })
    this.#last = Promise.allSettled([previous, turn])
    return turn
  }

  async #dumpTwice(remainingLimits: () => CallLimits): Promise<UiDump> {
    const first = await this.#dumpOnce(remainingLimits())
    const isRetryable = first.outcome === 'failed' && first.kind === 'crashed'
    return isRetryable && remainingLimits().timeoutMs > 0 ? this.#dumpOnce(remainingLimits()) : first
  }

  async #dumpOnce(limits: CallLimits): Promise<UiDump> {
    // The file name is unique and the file is removed first, so an old file is never read.
    const file = `/data/local/tmp/apprentice-${this.#id}.xml`
    const remove = buildCommand('rm', '-f', file)
    const printExitCode = `|| echo ${this.#id}:$?`
    const line = [
      remove,
      `${buildCommand('uiautomator', 'dump', file)} ${printExitCode}`,
      buildCommand('cat', file),
      remove,
    ].join('; ')
    return parseDumpOutput(this.#withExitCode(await this.#runner.run(line, limits)))
  }

  /** The exit code of the line belongs to its last command. The output contains that of the dump. */
  #withExitCode(result: CommandResult): CommandResult {
    const text = result.stdout.toString('utf8')
    const match = new RegExp(`${this.#id}:(\\d+)\\r?\\n`).exec(text)
    if (!match) return { ...result, exitCode: 0 }
    return {
      ...result,
      stdout: Buffer.from(text.replace(match[0], '')),
      exitCode: Number(match[1]),
    }
  }
}
