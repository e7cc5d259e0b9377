import type { z } from 'zod'
import {
  dryRun,
  type ResultEnvelope,
  type StepResult,
} from '@apprentice/contracts/devices/execution.ts'
import type { callFromSkillRun } from '@apprentice/contracts/skills/runs.ts'
import { getOwnSkillRun } from '../domain/skill-runs/follow-run.ts'
import {
  type NestedCall,
  peerFailure,
  peerResult,
  queueNestedCall,
  readNestedCall,
} from '../domain/skill-runs/nested-call.ts'
import { readPeerCommand } from '../knowledge/skill-script/peer-command.ts'
import { runCallerKey } from '../domain/skill-runs/start-run.ts'
import { Failure } from '../failure/failure.ts'
import type { RequestContext } from '../http/mount.ts'
import { listDevices } from '../store/devices/devices.ts'
import { findEvidence } from '../store/capture/evidence.ts'
import { findExecution } from '../store/devices/executions.ts'
import type { SkillRunRow } from '../store/skill-runs/skill-runs.ts'
import type { System } from '../daemon/system.ts'
import { version } from '../config/version.ts'

type Answer = z.input<typeof callFromSkillRun.reply>
type Call = RequestContext<{ runId: string }, unknown, { argv: string[] }>

/** Answers a running script as the peer's program would. */
export async function answerCall(system: System, request: Call): Promise<Answer> {
  const { caller, params, body } = request
  const run = system.commands.read((reader) => getOwnSkillRun(reader, params.runId, caller.user_id))
  // A person has better ways to use a phone; this one is for the script, and for its own run.
  if (caller.key !== runCallerKey(run.run_id)) {
    throw new Failure('SKILL_RUN_NOT_FOUND', `No run ${params.runId}.`)
  }
  const command = readPeerCommand(body.argv)
  switch (command.kind) {
    case 'usage':
      return printed(peerFailure({ code: 'USAGE', message: command.message }))
    case 'version':
      return printed({ exit_code: 0, stdout: `${JSON.stringify({ version })}\n` })
    case 'devices':
      return printed({ exit_code: 0, stdout: `${JSON.stringify(devicesOf(system))}\n` })
    case 'execution': {
      const call = readNestedCall(command, run.skill_id)
      if ('code' in call) return printed(peerFailure(peerError(call)))
      if (command.form === 'run') return execute(system, request, { run, call })
      const { execution } = call
      const reply =
        command.form === 'dry_run' ? dryRun(execution) : { ok: true, validated: true, execution }
      return printed({ exit_code: 0, stdout: `${JSON.stringify(reply)}\n` })
    }
  }
}

const graceMs = 6000

async function execute(
  system: System,
  request: Call,
  { run, call }: { run: SkillRunRow; call: NestedCall },
): Promise<Answer> {
  const { commands, jobs } = system
  try {
    const { execution_id } = await commands.command(request, (ctx) => ({
      execution_id: queueNestedCall(ctx, run, call).execution_id,
    }))
    const waitMs = call.execution.timeoutMs + graceMs
    const settled = await settledWithin(system, execution_id, waitMs)
    if (!settled) await jobs.cancel(execution_id)
    const row = commands.read((reader) => findExecution(reader, execution_id))
    if (row?.envelope === undefined) {
      return printed(
        peerFailure({ code: 'RESULT_ENVELOPE_TIMEOUT', message: 'No result in time.' }),
      )
    }
    const { envelope, files } = await withPictures(system, call, row.envelope)
    const { serial } = row
    return { ...printed(peerResult(envelope, { command_id: call.command_id, serial })), files }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { code, message, details } = error
    return printed(peerFailure({ code, message, ...(details === undefined ? {} : { details }) }))
  }
}

const glanceMs = 250

/** Waits no longer than the daemon is there to wait. */
export async function settledWithin(
  system: Pick<System, 'jobs' | 'stopping'>,
  jobId: string,
  withinMs: number,
): Promise<boolean> {
  const untilMs = Date.now() + withinMs
  for (;;) {
    const leftMs = untilMs - Date.now()
    if (leftMs <= 0 || system.stopping) return false
    if ((await system.jobs.settled(jobId, Math.min(leftMs, glanceMs))) !== undefined) return true
  }
}

type Files = Answer['files']

/** Pictures go to the files the script named: it writes them itself, so it needs no rights of ours. */
async function withPictures(
  system: System,
  { execution }: NestedCall,
  envelope: ResultEnvelope,
): Promise<{ envelope: ResultEnvelope; files: Files }> {
  const files: Files = []
  const stepResults: StepResult[] = []
  for (const step of envelope.stepResults) {
    const action = execution.actions.find(({ id }) => id === step.id)
    const path = action?.type === 'take_screenshot' ? action.params.path : undefined
    const base64 = path === undefined ? undefined : await pictureOf(system, step)
    if (path === undefined || base64 === undefined) stepResults.push(step)
    else {
      files.push({ path, base64 })
      stepResults.push({ ...step, data: { ...step.data, path } })
    }
  }
  return { envelope: { ...envelope, stepResults }, files }
}

async function pictureOf(
  { commands, floor }: System,
  step: StepResult,
): Promise<string | undefined> {
  const id = step.data['evidence_id']
  const kept = id === undefined ? undefined : commands.read((reader) => findEvidence(reader, id))
  const bytes = kept === undefined ? undefined : await floor.evidence.read(kept.sha256)
  return bytes?.toString('base64')
}

function devicesOf({ commands }: System) {
  const devices = commands
    .read((reader) => listDevices(reader))
    .filter(({ state }) => state !== 'gone')
  return { devices: devices.map(({ serial, state }) => ({ serial, state })) }
}

function peerError({ code, message, ...details }: { code: string; message: string }) {
  return { code, message, details }
}

const printed = (reply: { exit_code: number; stdout: string }): Answer => ({
  ...reply,
  stderr: '',
  files: [],
})
