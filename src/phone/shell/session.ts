import { aborted } from '../clock.ts'
import type { ShellIo } from '../host.ts'
import type { Device } from '../model/device.ts'
import type { Program } from './command.ts'
import { execute, ShellExit, type Shell, type Streams } from './interpreter.ts'
import { LineReader } from './line-reader.ts'
import { parseScript, ShellSyntaxError, type Command } from './syntax.ts'

const HANGUP_CODE = 129
const SYNTAX_CODE = 1

/** `sh -c command`, or an interactive shell when there is no command. */
export async function runShell(
  device: Device,
  programs: ReadonlyMap<string, Program>,
  command: string,
  io: ShellIo,
): Promise<number> {
  const shell: Shell = {
    device,
    programs,
    variables: new Map([
      ['HOME', '/'],
      ['PATH', '/system/bin'],
      ['USER', 'shell'],
      ['EXTERNAL_STORAGE', '/sdcard'],
    ]),
    lastCode: 0,
  }
  const streams: Streams = {
    stdin: new LineReader(io.stdin, io.signal),
    stdout: (chunk) => io.stdout(chunk),
    stderr: (chunk) => io.stderr(chunk),
    tty: (chunk) => io.stdout(chunk),
    signal: io.signal,
  }
  try {
    return command === '' ? await runLines(shell, streams) : await runText(shell, command, streams)
  } catch (error) {
    if (error instanceof ShellExit) return error.code
    throw error
  }
}

async function runLines(shell: Shell, streams: Streams): Promise<number> {
  let pending = ''
  for (;;) {
    const line = await streams.stdin.line()
    if (line === undefined) break
    pending = pending === '' ? line : `${pending}\n${line}`
    if (isIncomplete(pending)) continue
    await runText(shell, pending, streams)
    pending = ''
  }
  if (pending !== '') await runText(shell, pending, streams)
  return streams.signal.aborted ? HANGUP_CODE : shell.lastCode
}

function isIncomplete(text: string): boolean {
  try {
    parseScript(text)
    return false
  } catch (error) {
    return error instanceof ShellSyntaxError && error.incomplete
  }
}

async function runText(shell: Shell, text: string, streams: Streams): Promise<number> {
  if (shell.device.faults.hangs(text)) {
    await aborted(streams.signal)
    return HANGUP_CODE
  }
  let script: Command
  try {
    script = parseScript(text)
  } catch (error) {
    if (!(error instanceof ShellSyntaxError)) throw error
    streams.stderr(Buffer.from(`/system/bin/sh: ${error.message}\n`))
    shell.lastCode = SYNTAX_CODE
    return SYNTAX_CODE
  }
  return execute(shell, script, streams)
}
