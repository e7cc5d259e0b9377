import { randomUUID } from 'node:crypto'
import { startBudget, within } from '../adb/call-limits.ts'
import type { CallLimits } from '../adb/call-limits.ts'
import type { CommandResult } from '../shell/command-stream.ts'
import type { CommandRunner } from '../shell/device-shell.ts'
import { interpretDump } from '../shell/dump-text.ts'
import type { UiDump } from '../shell/dump-text.ts'
import { command } from '../adb/quoting.ts'

/** Where screens come from. The text is XML; what it means is not decided here. */
export interface UiSource {
  /** Rejects with a transport failure only; a device that could not dump is a `failed` outcome. */
  dump(limits: CallLimits): Promise<UiDump>
}

/** Screens by `uiautomator dump`: a second of stillness per dump, ten until it gives up. */
export class UiautomatorSource implements UiSource {
  readonly #runner: CommandRunner
  readonly #id = randomUUID()
  #last: Promise<unknown> = Promise.resolve()

  constructor(runner: CommandRunner) {
    this.#runner = runner
  }

  /** One at a time: a second UiAutomation client makes both fail. */
  dump(limits: CallLimits): Promise<UiDump> {
    const budget = startBudget(limits)
    const subject = { serial: this.#runner.serial, what: 'screen dump' }
    const previous = this.#last
    const turn = within(limits, subject, async (scope) => {
      await previous
      scope.commandSent()
      return this.#dumpTwice(() => budget.rest())
    })
    this.#last = Promise.allSettled([previous, turn])
    return turn
  }

  async #dumpTwice(rest: () => CallLimits): Promise<UiDump> {
    const first = await this.#dumpOnce(rest())
    const worthAnother = first.outcome === 'failed' && first.kind === 'crashed'
    return worthAnother && rest().timeoutMs > 0 ? this.#dumpOnce(rest()) : first
  }

  async #dumpOnce(limits: CallLimits): Promise<UiDump> {
    // The file is this source's own and is removed first, so a file that is read is a new one.
    const file = `/data/local/tmp/apprentice-${this.#id}.xml`
    const remove = command('rm', '-f', file)
    const exitNote = `|| echo ${this.#id}:$?`
    const line = [
      remove,
      `${command('uiautomator', 'dump', file)} ${exitNote}`,
      command('cat', file),
      remove,
    ].join('; ')
    return interpretDump(this.#withExitCode(await this.#runner.run(line, limits)))
  }

  /** The exit code of the line is that of its last command; the dump's own was noted on the way. */
  #withExitCode(result: CommandResult): CommandResult {
    const text = result.stdout.toString('utf8')
    const note = new RegExp(`${this.#id}:(\\d+)\\r?\\n`).exec(text)
    if (!note) return { ...result, exitCode: 0 }
    return { ...result, stdout: Buffer.from(text.replace(note[0], '')), exitCode: Number(note[1]) }
  }
}
