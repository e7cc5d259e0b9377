import type { SkillPlan } from './skill-plan.ts'

export interface RunSetting {
  readonly run_id: string
  readonly plan: SkillPlan
  readonly args: readonly string[]
  readonly serial?: string | undefined
  readonly operator_package: string
  readonly timeout_ms: number
  /** The span of the run, as W3C headers, if it is traced. */
  readonly trace?: { readonly traceparent: string; readonly tracestate?: string | undefined } | undefined
  /** The agent program; only for agent skills. */
  readonly agent?: { readonly cli: string; readonly path: string } | undefined
}

/** Paths of the run's files. */
export interface RunPaths {
  /** The program in `CLAWPERATOR_BIN`. */
  readonly shim: string
  readonly bin: string
  readonly work: string
  readonly logs: string
  readonly prompt: string
}

/** Identifies every process of a run, also one that left its process group. */
export const RUN_MARK_VARIABLE = 'APPRENTICE_SKILL_RUN'

/** The environment variables of the peer, so that scripts written for it work unchanged. */
export function buildRunEnvironment(
  setting: RunSetting,
  paths: RunPaths,
  base: Readonly<Record<string, string>>,
): Record<string, string> {
  const { run_id, serial, operator_package, trace } = setting
  return {
    ...base,
    PATH: `${paths.bin}:${base['PATH'] ?? ''}`,
    TMPDIR: paths.work,
    [RUN_MARK_VARIABLE]: run_id,
    CLAWPERATOR_BIN: paths.shim,
    CLAWPERATOR_OPERATOR_PACKAGE: operator_package,
    ...(serial === undefined ? {} : { CLAWPERATOR_DEVICE_ID: serial }),
    ...(trace === undefined ? {} : { TRACEPARENT: trace.traceparent, TRACESTATE: trace.tracestate ?? '' }),
    ...buildAgentVariables(setting, paths),
  }
}

function buildAgentVariables({ plan, args, agent, timeout_ms }: RunSetting, paths: RunPaths): Record<string, string> {
  if (agent === undefined) return {}
  const { skill_id, program, registry_path } = plan
  return {
    CLAWPERATOR_SKILL_ID: skill_id,
    CLAWPERATOR_SKILL_PROGRAM: program,
    CLAWPERATOR_SKILL_INPUTS: JSON.stringify(args),
    CLAWPERATOR_SKILL_AGENT_CLI: agent.cli,
    CLAWPERATOR_SKILL_AGENT_CLI_PATH: agent.path,
    CLAWPERATOR_SKILL_AGENT_TIMEOUT_MS: String(timeout_ms),
    CLAWPERATOR_SKILL_RETAIN_LOGS: '1',
    CLAWPERATOR_SKILL_LOG_DIR: paths.logs,
    APPRENTICE_SKILL_PROMPT: paths.prompt,
    ...(registry_path === undefined ? {} : { CLAWPERATOR_SKILLS_REGISTRY: registry_path }),
  }
}

/** Script skills receive the serial as first argument; agent skills read it from the environment. */
export function buildScriptArguments({ plan, args, serial }: RunSetting): string[] {
  return plan.kind === 'script' && serial !== undefined ? [serial, ...args] : [...args]
}

/** The prompt of an agent for one run. */
export function buildRunPrompt(setting: RunSetting, paths: RunPaths, program: string): string {
  const { run_id, plan, args, serial, operator_package, timeout_ms } = setting
  const device = serial === undefined ? 'none' : `\`${serial}\``
  return [
    `# Run ${run_id} of ${plan.skill_id}`,
    '',
    'Follow the program below. Act on the phone only through the command given here, one call at a time. Base each step',
    'on the output of the last call. Do not change files of the skill.',
    '',
    `- inputs: \`${JSON.stringify(args)}\``,
    `- device: ${device}`,
    `- command: \`${paths.shim}\``,
    `- on every call: ${serial === undefined ? '' : `\`--device ${serial}\` `}\`--operator-package ${operator_package} --json\``,
    `- time limit: ${timeout_ms} ms`,
    '',
    'End with exactly two lines: the marker `[Clawperator-Skill-Result]`, then one line of JSON with',
    '`contractVersion` "1.0.0", `skillId`, `status`, `checkpoints`, `inputs`, `terminalVerification` and `result`. Report',
    'as verified only what you saw on the screen.',
    '',
    '## Program',
    '',
    program,
    '',
  ].join('\n')
}
