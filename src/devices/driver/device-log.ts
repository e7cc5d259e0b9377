import type { LogLine } from '@apprentice/contracts/devices/checks.ts'
import { type CallLimits, startBudget } from '../adb/call-limits.ts'
import { runChecked } from '../shell/checked-command.ts'
import type { CommandRunner } from '../shell/device-shell.ts'
import { OperationFailure } from '../adb/operation-failure.ts'
import { buildCommand } from '../adb/quoting.ts'

export interface LogRequest {
  /** In host time, in milliseconds. */
  readonly fromMs: number
  readonly toMs: number
  readonly lines: number
  readonly hostNow: () => number
}

export interface DeviceLog {
  readonly lines: readonly LogLine[]
  readonly truncated: boolean
  /** Device time minus host time. */
  readonly clock_offset_ms: number
}

/** Reads the log lines of a period in host time. The clock of the device is read first, because it may differ. */
export async function readDeviceLog(
  runner: CommandRunner,
  { fromMs, toMs, lines, hostNow }: LogRequest,
  limits: CallLimits,
): Promise<DeviceLog> {
  const budget = startBudget(limits)
  const offset = await measureClockOffset(runner, hostNow, budget.remainingLimits())
  const since = ((fromMs + offset) / 1000).toFixed(3)
  // With a time, logcat also ends after the existing lines.
  const line = buildCommand('logcat', '-d', '-v', 'epoch', '-t', since)
  const { exitCode, stdout } = await runner.run(line, budget.remainingLimits())
  // The output is not checked for errors: a log contains errors of other programs.
  if (exitCode !== 0) {
    throw new OperationFailure('COMMAND_FAILED', `logcat ended with exit code ${exitCode}`)
  }
  const entries = parseLog(stdout.toString('utf8'))
    .map((entry) => ({ ...entry, ms: entry.ms - offset }))
    .filter(({ ms }) => ms >= fromMs && ms <= toMs)
  return {
    lines: entries.slice(-lines).map(({ ms, ...entry }) => ({ at: new Date(ms).toISOString(), ...entry })),
    truncated: entries.length > lines,
    clock_offset_ms: Math.round(offset),
  }
}

export type ParsedLine = Omit<LogLine, 'at'> & { readonly ms: number }

/** Parses lines of `-v epoch`. Buffer separators are ignored. A tag may contain colons, but not `: `. */
export function parseLog(text: string): ParsedLine[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const read = LOG_LINE.exec(line)
    if (read === null) return []
    const [, time, pid, tid, level, tag = '', message = ''] = read
    return [
      {
        ms: Number(time) * 1000,
        pid: Number(pid),
        tid: Number(tid),
        // The pattern admits these letters only.
        level: level as LogLine['level'],
        tag: tag.trimEnd(),
        text: message,
      },
    ]
  })
}

const LOG_LINE = /^\s*(\d+\.\d+)\s+(\d+)\s+(\d+) ([VDIWEF]) (.*?): (.*)$/

async function measureClockOffset(runner: CommandRunner, hostNow: () => number, limits: CallLimits): Promise<number> {
  const before = hostNow()
  const { stdout } = await runChecked(runner, buildCommand('date', '+%s.%3N'), limits)
  const after = hostNow()
  const deviceMs = Number(stdout.toString('utf8').trim()) * 1000
  return Number.isFinite(deviceMs) ? deviceMs - (before + after) / 2 : 0
}
