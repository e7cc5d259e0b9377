import type { z } from 'zod'
import { toDryRunReply, type ResultEnvelope, type StepResult } from '@apprentice/contracts/devices/execution.ts'
import type { callFromSkillRun } from '@apprentice/contracts/skills/runs.ts'
import { getOwnSkillRun } from '../../domain/skill-runs/skill-run-record.ts'
import {
  type NestedCall,
  formatPeerFailure,
  formatPeerResult,
  queueNestedCall,
  readNestedCall,
} from '../../domain/skill-runs/nested-calls.ts'
import { parsePeerCommand } from '../../knowledge/skill-script/peer-command.ts'
import { formatRunCallerKey } from '../../domain/skill-runs/skill-run-start.ts'
import { Failure } from '../../failure/failure.ts'
import type { RequestContext } from '../../http/contract-routes.ts'
import { listDevices } from '../../store/devices/devices.ts'
import { findEvidence } from '../../store/capture/evidence.ts'
import { findExecution } from '../../store/devices/executions.ts'
import type { SkillRunRow } from '../../store/skill-runs/skill-runs.ts'
import type { System } from '../../daemon/system.ts'
import { version } from '../../config/version.ts'

type CallReply = z.input<typeof callFromSkillRun.reply>
type Call = RequestContext<{ runId: string }, unknown, { argv: string[] }>

/** Answers a call of a running script in the format of the peer program. */
export async function answerCall(system: System, request: Call): Promise<CallReply> {
  const { caller, params, body } = request
  const run = system.commands.read((reader) => getOwnSkillRun(reader, params.runId, caller.user_id))
  // The route is only for the script of this run. It looks unknown to all other callers.
  if (caller.key !== formatRunCallerKey(run.run_id)) {
    throw new Failure('SKILL_RUN_NOT_FOUND', `No run ${params.runId}.`)
  }
  const command = parsePeerCommand(body.argv)
  switch (command.kind) {
    case 'usage':
      return toCallReply(formatPeerFailure({ code: 'USAGE', message: command.message }))
    case 'version':
      return toCallReply({ exit_code: 0, stdout: `${JSON.stringify({ version })}\n` })
    case 'devices':
      return toCallReply({
        exit_code: 0,
        stdout: `${JSON.stringify(listConnectedDevices(system))}\n`,
      })
    case 'execution': {
      const call = readNestedCall(command, run.skill_id)
      if ('code' in call) return toCallReply(formatPeerFailure(toPeerError(call)))
      if (command.form === 'run') return execute(system, request, { run, call })
      const { execution } = call
      const reply = command.form === 'dry_run' ? toDryRunReply(execution) : { ok: true, validated: true, execution }
      return toCallReply({ exit_code: 0, stdout: `${JSON.stringify(reply)}\n` })
    }
  }
}

const GRACE_MS = 6000

async function execute(
  system: System,
  request: Call,
  { run, call }: { run: SkillRunRow; call: NestedCall },
): Promise<CallReply> {
  const { commands, jobs } = system
  try {
    const { execution_id } = await commands.command(request, (ctx) => ({
      execution_id: queueNestedCall(ctx, run, call).execution_id,
    }))
    const waitMs = call.execution.timeoutMs + GRACE_MS
    const settled = await waitUntilSettled(system, execution_id, waitMs)
    if (!settled) await jobs.cancel(execution_id)
    const row = commands.read((reader) => findExecution(reader, execution_id))
    if (row?.envelope === undefined) {
      return toCallReply(
        formatPeerFailure({
          code: 'RESULT_ENVELOPE_TIMEOUT',
          message: 'The execution has no result within its time limit.',
        }),
      )
    }
    const { envelope, files } = await extractPictures(system, call, row.envelope)
    const { serial } = row
    return {
      ...toCallReply(formatPeerResult(envelope, { command_id: call.command_id, serial })),
      files,
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { code, message, details } = error
    return toCallReply(formatPeerFailure({ code, message, ...(details === undefined ? {} : { details }) }))
  }
}

const POLL_MS = 250

/** Waits until a job has settled. False when the time is over or the daemon stops. */
export async function waitUntilSettled(
  system: Pick<System, 'jobs' | 'stopping'>,
  jobId: string,
  withinMs: number,
): Promise<boolean> {
  const untilMs = Date.now() + withinMs
  for (;;) {
    const leftMs = untilMs - Date.now()
    if (leftMs <= 0 || system.stopping) return false
    if ((await system.jobs.waitUntilSettled(jobId, Math.min(leftMs, POLL_MS))) !== undefined) return true
  }
}

type Files = CallReply['files']

/** Returns pictures as files for the script to write itself, so that the daemon needs no access to its folders. */
async function extractPictures(
  system: System,
  { execution }: NestedCall,
  envelope: ResultEnvelope,
): Promise<{ envelope: ResultEnvelope; files: Files }> {
  const files: Files = []
  const stepResults: StepResult[] = []
  for (const step of envelope.stepResults) {
    const action = execution.actions.find(({ id }) => id === step.id)
    const path = action?.type === 'take_screenshot' ? action.params.path : undefined
    const base64 = path === undefined ? undefined : await readPicture(system, step)
    if (path === undefined || base64 === undefined) stepResults.push(step)
    else {
      files.push({ path, base64 })
      stepResults.push({ ...step, data: { ...step.data, path } })
    }
  }
  return { envelope: { ...envelope, stepResults }, files }
}

async function readPicture({ commands, evidenceFiles }: System, step: StepResult): Promise<string | undefined> {
  const id = step.data['evidence_id']
  const found = id === undefined ? undefined : commands.read((reader) => findEvidence(reader, id))
  const bytes = found === undefined ? undefined : await evidenceFiles.read(found.sha256)
  return bytes?.toString('base64')
}

function listConnectedDevices({ commands }: System) {
  const devices = commands.read((reader) => listDevices(reader)).filter(({ state }) => state !== 'gone')
  return { devices: devices.map(({ serial, state }) => ({ serial, state })) }
}

function toPeerError({ code, message, ...details }: { code: string; message: string }) {
  return { code, message, details }
}

const toCallReply = (reply: { exit_code: number; stdout: string }): CallReply => ({
  ...reply,
  stderr: '',
  files: [],
})
