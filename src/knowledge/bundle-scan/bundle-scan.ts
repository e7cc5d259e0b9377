import { findingTable, type FindingCode } from '@apprentice/contracts/skills/import-findings.ts'
import type { CapabilityManifest } from '@apprentice/contracts/capabilities/capability.ts'
import type {
  BundleSummary,
  PortableFrontmatter,
  SkillCompatibilityReport,
} from '@apprentice/contracts/skills/import-record.ts'
import { splitDocument } from '../markdown/document.ts'
import { parseRecipe } from '../recipes/check/parse-recipe.ts'
import { judgeCollisions, judgeDependencies, judgeTools } from './collisions.ts'
import { type ArchiveEntry, chooseFiles } from './entry-names.ts'
import { FileScan, type ScannedFile } from './file-scan.ts'
import { Findings } from './findings.ts'
import { normaliseFrontmatter, type ReadFrontmatter, readHeader } from './frontmatter.ts'
import { gradeOf } from './grade.ts'
import { lintBody } from './instruction-rules.ts'
import { readManifests } from './manifests.ts'
import { findRoot, lintLinks, lintPath, lintSize } from './structure-rules.ts'
import type { ScanDeps } from './scan-deps.ts'
import { lintTriggerCases } from './trigger-cases.ts'

const ruleVersion = 'bundle-lint-1'

/** What a scan came to. */
export interface ScanOutcome {
  readonly report: SkillCompatibilityReport
  /** The scan itself failed: nothing can be made of the archive. */
  readonly fatal?: FindingCode | undefined
  readonly collision: boolean
  readonly skill_name?: string | undefined
  readonly skill_pack?: string | undefined
  readonly assigned_namespace?: string | undefined
}

/** Files of which more than their findings is needed when the rest was seen. */
const isKept = (path: string): boolean =>
  /^(?:SKILL\.md|capabilities\/[^/]+\.json|tests\/[\w-]+\.json|mcp-bindings\.json|artifacts\/[^/]+\.recipe\.json)$/.test(
    path,
  )

/** Looks a bundle through. It is given what the archive says and then the files; it runs and opens nothing. */
export class BundleScan {
  readonly #findings = new Findings()
  readonly #around: ScanDeps
  readonly #kept = new Map<string, ScannedFile>()
  readonly #paths = new Set<string>()
  readonly #scripts: string[] = []
  #prefix = ''
  #bytes = 0

  constructor(around: ScanDeps) {
    this.#around = around
  }

  /** The files to be looked at; none when the archive is not fit to be opened at all. */
  choose<E extends ArchiveEntry>(entries: readonly E[], hiddenBytes = 0): readonly E[] {
    if (hiddenBytes > 0) {
      this.#findings.add('ARCHIVE_HIDDEN_DATA', { note: `${hiddenBytes} bytes.` })
    }
    const files = chooseFiles(entries, this.#findings)
    if (this.#findings.fatal !== undefined) return []
    const root = findRoot(
      files.map(({ path }) => path),
      this.#findings,
    )
    if (root === undefined) return []
    this.#prefix = root.prefix
    const inside = files.filter(({ path }) => path.startsWith(root.prefix))
    for (const { path, size } of inside) {
      const own = this.pathOf(path)
      this.#paths.add(own)
      lintPath(own, size, this.#findings)
    }
    return inside
  }

  /** A file's path below the skill's own folder. */
  pathOf(path: string): string {
    const own = path.slice(this.#prefix.length)
    return /^skill\.md$/i.test(own) ? 'SKILL.md' : own
  }

  file({ path, size }: Pick<ArchiveEntry, 'path' | 'size'>): FileScan {
    const own = { path: this.pathOf(path), size }
    return new FileScan(own, this.#findings, this.#around.blocked_terms)
  }

  taken(file: ScannedFile): void {
    this.#bytes += file.bytes
    if (file.script) this.#scripts.push(file.path)
    if (isKept(file.path)) this.#kept.set(file.path, file)
  }

  /** What cannot be read any further. False for what was no trouble of the archive. */
  stop(error: unknown): boolean {
    const { code, path } = error as { code?: unknown; path?: string }
    if (typeof code !== 'string' || !(code in findingTable)) return false
    this.#findings.add(code as FindingCode, { path })
    return true
  }

  finish(): ScanOutcome {
    const findings = this.#findings
    if (findings.fatal !== undefined) return this.#outcome({})
    const read = this.#readDocument()
    const { frontmatter } = read
    const manifests = readManifests(this.#files(/^capabilities\//), this.#context(read), findings)
    this.#judgeTests(frontmatter)
    this.#judgeRecipes()
    this.#judgeBindings()
    this.#judgeProvenance(read)
    if (frontmatter === undefined) return this.#outcome({ read, manifests })
    if (frontmatter.portability_grade === 'adapter_required') {
      findings.add('ADAPTER_REQUIRED', { path: 'SKILL.md' })
    }
    const around = this.#around
    const assigned_namespace = judgeCollisions({ frontmatter, manifests }, around, findings)
    judgeTools(frontmatter, findings)
    judgeDependencies(frontmatter, around, findings)
    return this.#outcome({ read, manifests, assigned_namespace })
  }

  #context({ skill_name }: ReadFrontmatter) {
    return { skill_name, files: this.#paths }
  }

  #readDocument(): ReadFrontmatter {
    const file = this.#kept.get('SKILL.md')
    const findings = this.#findings
    if (file?.text === undefined || !file.utf8) {
      findings.add('SKILL_MD_NOT_UTF8', { path: 'SKILL.md' })
      return { licensed: false }
    }
    lintSize(file.bytes, file.text, findings)
    const { header, body } = splitDocument(file.text)
    lintBody(body, findings)
    lintLinks(body, this.#paths, findings)
    const fields = readHeader(header, findings)
    if (fields === undefined) return { licensed: false }
    const folder = this.#prefix === '' ? undefined : this.#prefix.slice(0, -1)
    return normaliseFrontmatter(fields, { body, folder }, findings)
  }

  #files(where: RegExp): { path: string; text: string }[] {
    return [...this.#kept.values()]
      .filter(({ path }) => where.test(path))
      .map(({ path, text = '' }) => ({ path, text }))
      .toSorted((a, b) => (a.path < b.path ? -1 : 1))
  }

  #judgeTests(frontmatter: PortableFrontmatter | undefined): void {
    lintTriggerCases(this.#kept.get('tests/trigger-tests.json')?.text, frontmatter, this.#findings)
    if (!this.#paths.has('tests/smoke-tests.json')) this.#findings.add('SMOKE_TESTS_MISSING')
  }

  #judgeRecipes(): void {
    for (const { path, text } of this.#files(/^artifacts\//)) {
      const read = parseRecipe(text, 'json')
      if ('recipe' in read) continue
      const [first] = read.violations
      this.#findings.add('RECIPE_UNFIT', { path, note: first?.code })
    }
  }

  #judgeBindings(): void {
    const path = 'mcp-bindings.json'
    const text = this.#kept.get(path)?.text
    if (text === undefined) return
    this.#findings.add('MCP_BINDING_UNREGISTERED', { path })
    const named =
      /"[^"]{0,60}(?:token|secret|password|api_?key|authorization)[^"]{0,20}"\s{0,9}:\s{0,9}"(?!\$\{|env:|<)[^"]{8,}"/i
    if (named.test(text)) this.#findings.add('SECRET_IN_MCP_BINDING', { path })
  }

  #judgeProvenance({ licensed, skill_pack }: ReadFrontmatter): void {
    const { source, packs } = this.#around
    const hasLicence = [...this.#paths].some((path) => /^licen[cs]e(?:\.\w+)?$/i.test(path))
    if (!licensed && !hasLicence) this.#findings.add('LICENSE_MISSING')
    if (skill_pack !== undefined && !packs.has(skill_pack)) {
      this.#findings.add('PACK_UNKNOWN', { note: skill_pack })
    }
    const own = this.#paths.has('imports/import-metadata.json')
    if (source === 'elnor_generated' && !own && !this.#paths.has('support-packs.json')) {
      this.#findings.add('SOURCE_MISMATCH')
    }
  }

  #outcome(parts: {
    read?: ReadFrontmatter
    manifests?: readonly CapabilityManifest[]
    assigned_namespace?: string | undefined
  }): ScanOutcome {
    const findings = this.#findings
    const { read, manifests = [], assigned_namespace } = parts
    const frontmatter = read?.frontmatter
    const portability_grade = gradeOf(findings, frontmatter?.portability_grade ?? 'direct')
    const report: SkillCompatibilityReport = {
      compatible: findings.compatible,
      requires_adapter: findings.requires_adapter,
      rule_version: ruleVersion,
      ...(read?.skill_pack === undefined ? {} : { suggested_pack_id: read.skill_pack }),
      findings: findings.list,
      portability_grade,
      bundle_summary: this.#summary(frontmatter, manifests),
      ...(frontmatter === undefined ? {} : { frontmatter: { ...frontmatter, portability_grade } }),
      schema_version: 1,
    }
    return {
      report,
      fatal: findings.fatal,
      collision: findings.collision,
      skill_name: read?.skill_name,
      skill_pack: read?.skill_pack,
      assigned_namespace,
    }
  }

  #summary(
    frontmatter: PortableFrontmatter | undefined,
    manifests: readonly CapabilityManifest[],
  ): BundleSummary {
    return {
      file_count: this.#paths.size,
      uncompressed_bytes: this.#bytes,
      scripts: this.#scripts.slice(0, 100).map((path) => path.slice(0, 240)),
      capabilities: manifests.map(({ capability_id }) => capability_id),
      allowed_tools: frontmatter?.allowed_tools ?? [],
      connector_hints: frontmatter?.connector_hints ?? [],
    }
  }
}
