import { aborted } from '../host/clock.ts'
import type { ShellIo } from '../host/host.ts'
import type { Device } from '../model/device.ts'
import type { Program } from './command.ts'
import { execute, ShellExit, type Shell, type Streams } from './interpreter.ts'
import { LineReader } from './line-reader.ts'
import { parseScript, ShellSyntaxError, type Command } from './syntax.ts'

const HANGUP_CODE = 129
const SYNTAX_ERROR_CODE = 1

/** Runs `sh -c command`, or an interactive shell when the command is empty. */
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
    if (command === '') return await runLines(shell, streams)
    return await runScript(shell, command, tryParse(command), streams)
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
    const script = tryParse(pending)
    if (script instanceof ShellSyntaxError && script.incomplete) continue
    await runScript(shell, pending, script, streams)
    pending = ''
  }
  if (pending !== '') await runScript(shell, pending, tryParse(pending), streams)
  return streams.signal.aborted ? HANGUP_CODE : shell.lastCode
}

function tryParse(text: string): Command | ShellSyntaxError {
  try {
    return parseScript(text)
  } catch (error) {
    if (error instanceof ShellSyntaxError) return error
    throw error
  }
}

async function runScript(
  shell: Shell,
  text: string,
  script: Command | ShellSyntaxError,
  streams: Streams,
): Promise<number> {
  if (shell.device.faults.shouldHang(text)) {
    await aborted(streams.signal)
    return HANGUP_CODE
  }
  if (script instanceof ShellSyntaxError) {
    streams.stderr(Buffer.from(`/system/bin/sh: ${script.message}\n`))
    shell.lastCode = SYNTAX_ERROR_CODE
    return SYNTAX_ERROR_CODE
  }
  return execute(shell, script, streams)
}
