import type { CapabilityManifest } from '@apprentice/contracts/capabilities/capability.ts'
import type { PortableFrontmatter } from '@apprentice/contracts/skills/import-record.ts'
import { RUNNER_TOOL } from '../skill-format/runner-binding.ts'
import { measureLikeness, MIN_LIKENESS, toSubjectWords } from '../search-words/likeness.ts'
import type { Findings } from './findings.ts'
import type { ScanDeps } from './scan-deps.ts'

const CORE_TOOLS = new Set([
  'browser',
  'exec',
  'read',
  'write',
  'memory_search',
  'memory_get',
  'node.invoke',
  'verify_checkpoint',
])
const OTHER_TOOLS =
  'bash edit grep glob webfetch websearch task todowrite ls apply_patch process message canvas cron image'
const knownTools = new Set([...CORE_TOOLS, ...OTHER_TOOLS.split(' ')])

export interface NamedBundle {
  readonly frontmatter: PortableFrontmatter
  readonly manifests: readonly CapabilityManifest[]
}

/** Checks whether the names in a bundle are free. Returns the namespace for the bundle. */
export function checkCollisions(
  { frontmatter, manifests }: NamedBundle,
  deps: ScanDeps,
  findings: Findings,
): string | undefined {
  const { name } = frontmatter
  if (deps.skill_names.has(name)) findings.add('SKILL_NAME_COLLISION', { note: name })
  if (deps.native_names.has(name)) findings.add('SKILL_NAME_SHADOWS_BUNDLED', { note: name })
  if (deps.agent_names.has(name)) findings.add('SKILL_NAME_SHADOWS_INSTALLED', { note: name })
  for (const { capability_id } of manifests) {
    if (deps.capability_ids.has(capability_id)) {
      findings.add('MANIFEST_ID_COLLISION', { note: capability_id })
    }
  }
  for (const tool of listProvidedTools(name, manifests)) {
    if (isCoreTool(tool)) findings.add('TOOL_SHADOWING_CORE', { note: tool })
    else if (deps.tool_names.has(tool)) findings.add('TOOL_SHADOWING_INSTALLED', { note: tool })
  }
  checkTriggers(frontmatter, deps, findings)
  if (deps.imported_before) findings.add('CONTENT_DUPLICATE')
  return chooseNamespace(frontmatter, deps, findings)
}

/** The tool names that the bundle defines. Names that it only uses do not collide. */
const listProvidedTools = (name: string, manifests: readonly CapabilityManifest[]): string[] => [
  ...new Set([
    name,
    ...manifests.flatMap(({ runtime_binding: { binding_kind, target }, aliases }) => [
      // A skill that is bound to the runner of this daemon uses that tool.
      ...(binding_kind === 'bridge_tool' && target !== RUNNER_TOOL ? [target] : []),
      ...aliases,
    ]),
  ]),
]

function isCoreTool(tool: string): boolean {
  const plain = tool.toLowerCase().replaceAll('-', '_')
  return CORE_TOOLS.has(plain) || plain.startsWith('elnor_')
}

/** `ext_`, the first digits of the content hash, and the name. Takes more digits when the namespace is in use. */
function chooseNamespace(
  { name, assigned_namespace }: Pick<PortableFrontmatter, 'name' | 'assigned_namespace'>,
  { content_hash_sha256, namespaces }: Pick<ScanDeps, 'content_hash_sha256' | 'namespaces'>,
  findings: Findings,
): string | undefined {
  const family = name.replaceAll('-', '_')
  const candidates = [
    ...(assigned_namespace === undefined ? [] : [assigned_namespace]),
    ...[4, 6, 8].map((digits) =>
      `ext_${content_hash_sha256.slice(0, digits)}_${family}`.slice(0, 32).replace(/(?<!_)_+$/, ''),
    ),
  ]
  const free = candidates.find((namespace) => !namespaces.has(namespace))
  if (free === undefined) findings.add('NAMESPACE_COLLISION')
  return free
}

/** A trigger of one word is a subject, which several skills may have. */
function checkTriggers({ triggers }: PortableFrontmatter, deps: ScanDeps, findings: Findings): void {
  const own = triggers.map(toSubjectWords).filter((words) => words.size >= 2)
  for (const { ability_id, phrases } of deps.triggers) {
    const isSimilar = phrases
      .map(toSubjectWords)
      .some((theirs) => own.some((words) => measureLikeness(words, theirs) >= MIN_LIKENESS))
    if (isSimilar) findings.add('TRIGGER_COLLISION', { note: ability_id })
  }
}

/** Checks the tools that the skill may use. */
export function checkTools({ allowed_tools }: PortableFrontmatter, findings: Findings): void {
  for (const tool of allowed_tools) {
    const plain = tool.replace(/\(.*$/, '').toLowerCase()
    if (/^\*$|\(\s*\*?\s*\)|\(\*:\*\)/.test(tool) || /^bash\(\*/i.test(tool) || plain === '*') {
      findings.add('ALLOWED_TOOLS_WILDCARD', { path: 'SKILL.md', note: tool })
    } else if (!knownTools.has(plain) && !/^(?:elnor_|mcp__apprentice__)/.test(plain)) {
      findings.add('ALLOWED_TOOLS_UNKNOWN', { path: 'SKILL.md', note: tool })
    }
  }
}

export function checkDependencies(
  { name, depends_on, connector_hints, support_packs }: PortableFrontmatter,
  deps: ScanDeps,
  findings: Findings,
): void {
  for (const skill of depends_on) {
    if (skill === name) findings.add('DEPENDS_ON_CYCLE', { note: skill })
    else if (![deps.skill_names, deps.native_names, deps.agent_names].some((names) => names.has(skill))) {
      findings.add('DEPENDS_ON_MISSING', { note: skill })
    }
  }
  for (const hint of connector_hints) {
    if (!deps.connectors.has(hint)) findings.add('CONNECTOR_HINT_UNREGISTERED', { note: hint })
  }
  for (const pack of support_packs) {
    if (!deps.support_packs.has(pack)) findings.add('SUPPORT_PACK_MISSING', { note: pack })
  }
}
