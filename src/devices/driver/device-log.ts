import type { LogLine } from '@apprentice/contracts/devices/checks.ts'
import { type CallLimits, startBudget } from '../adb/call-limits.ts'
import { checked } from '../shell/checked-command.ts'
import type { CommandRunner } from '../shell/device-shell.ts'
import { OperationFailure } from '../adb/operation-failure.ts'
import { command } from '../adb/quoting.ts'

export interface LogRequest {
  /** Both by the host's clock, in milliseconds. */
  readonly fromMs: number
  readonly toMs: number
  readonly lines: number
  readonly hostNow: () => number
}

export interface DeviceLog {
  readonly lines: readonly LogLine[]
  readonly truncated: boolean
  /** The device's clock less the host's. */
  readonly clock_offset_ms: number
}

/** The lines a device logged within a time of the host; device clocks differ, so theirs is asked first. */
export async function readDeviceLog(
  runner: CommandRunner,
  { fromMs, toMs, lines, hostNow }: LogRequest,
  limits: CallLimits,
): Promise<DeviceLog> {
  const budget = startBudget(limits)
  const offset = await clockOffset(runner, hostNow, budget.rest())
  const since = ((fromMs + offset) / 1000).toFixed(3)
  // A time instead of a count also makes logcat end with what it has.
  const line = command('logcat', '-d', '-v', 'epoch', '-t', since)
  const { exitCode, stdout } = await runner.run(line, budget.rest())
  // Not the usual check for complaints: a log is full of other people's.
  if (exitCode !== 0) {
    throw new OperationFailure('COMMAND_FAILED', `logcat ended with exit code ${exitCode}`)
  }
  const logged = parseLog(stdout.toString('utf8'))
    .map((entry) => ({ ...entry, ms: entry.ms - offset }))
    .filter(({ ms }) => ms >= fromMs && ms <= toMs)
  return {
    lines: logged
      .slice(-lines)
      .map(({ ms, ...entry }) => ({ at: new Date(ms).toISOString(), ...entry })),
    truncated: logged.length > lines,
    clock_offset_ms: Math.round(offset),
  }
}

export type ParsedLine = Omit<LogLine, 'at'> & { readonly ms: number }

/** Lines of `-v epoch`; what separates the buffers is none. A tag may hold colons, but not `: `. */
export function parseLog(text: string): ParsedLine[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const read = LINE.exec(line)
    if (read === null) return []
    const [, time, pid, tid, level, tag = '', words = ''] = read
    return [
      {
        ms: Number(time) * 1000,
        pid: Number(pid),
        tid: Number(tid),
        // The pattern admits these letters only.
        level: level as LogLine['level'],
        tag: tag.trimEnd(),
        text: words,
      },
    ]
  })
}

const LINE = /^\s*(\d+\.\d+)\s+(\d+)\s+(\d+) ([VDIWEF]) (.*?): (.*)$/

async function clockOffset(
  runner: CommandRunner,
  hostNow: () => number,
  limits: CallLimits,
): Promise<number> {
  const before = hostNow()
  const { stdout } = await checked(runner, command('date', '+%s.%3N'), limits)
  const after = hostNow()
  const told = Number(stdout.toString('utf8').trim()) * 1000
  return Number.isFinite(told) ? told - (before + after) / 2 : 0
}
