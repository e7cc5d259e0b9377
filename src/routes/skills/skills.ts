import { posix } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { z } from 'zod'
import type { AnyContract } from '@apprentice/contracts/base/route.ts'
import * as registry from '@apprentice/contracts/skills/registry.ts'
import type { createSkill } from '@apprentice/contracts/skills/scaffold.ts'
import * as validation from '@apprentice/contracts/skills/validate.ts'
import { isSkillVisible } from '../../domain/abilities/visibility.ts'
import { recordEvent } from '../../domain/command/ledger.ts'
import { compileSource } from '../../knowledge/recipes/compile/compile-document.ts'
import { findArtifact } from '../../knowledge/skill-format/artifact.ts'
import { readDeclaredType, readDescription } from '../../knowledge/skill-format/frontmatter.ts'
import { isAllowedType } from '../../knowledge/skill-format/validation.ts'
import { Failure } from '../../failure/failure.ts'
import { mountContract } from '../../http/contract-routes.ts'
import type { System } from '../../daemon/system.ts'
import { mountNewSkillRoute } from '../worker-routes.ts'

const schema_version = 1 as const
type Reply<C extends AnyContract> = z.input<C['reply']> & object

export function skillRoutes(app: FastifyInstance, system: System): void {
  registryRoutes(app, system)
  writeRoutes(app, system)
  validationRoutes(app, system)
}

/** Hides the skills of other users' private abilities. */
function createVisibility({ skills, commands }: System) {
  const filterVisible = <T extends { readonly id: string; readonly path?: string }>(all: readonly T[], user: string) =>
    commands.read((reader) =>
      all.filter(({ id, path }) => isSkillVisible(reader, [id, posix.basename(path ?? id)], user)),
    )
  const readCatalog = async (id: string, user: string) => {
    const catalog = await skills.catalog()
    const path = catalog.find(id)?.entry?.path
    if (filterVisible([{ id, ...(path === undefined ? {} : { path }) }], user).length > 0) return catalog
    throw new Failure('SKILL_NOT_FOUND', `Skill not found: ${id}`, { details: { skillId: id } })
  }
  return { filterVisible, readCatalog }
}

function registryRoutes(app: FastifyInstance, system: System): void {
  const { skills } = system
  const { filterVisible, readCatalog } = createVisibility(system)
  const on = mountContract(app)

  on(registry.listSkills)(async ({ caller, query: { page, page_size } }) => {
    const catalog = await skills.catalog()
    const all = filterVisible(catalog.skills, caller.user_id)
    const from = (page - 1) * page_size
    return {
      skills: all.slice(from, from + page_size),
      count: all.length,
      total: all.length,
      page,
      page_size,
      roots: catalog.roots,
      problems: [...catalog.problems],
      schema_version,
    }
  })

  on(registry.searchSkills)(async ({ caller, query: { limit, ...query } }) => {
    const found = filterVisible((await skills.catalog()).search(query), caller.user_id)
    return { skills: found.slice(0, limit), count: found.length, schema_version }
  })

  on(registry.getSkill)(async ({ params, caller }) => {
    const placed = (await readCatalog(params.skillId, caller.user_id)).getUsable(params.skillId)
    const { entry, root, registryPath } = placed
    const text = (await skills.text(placed, entry.skillFile)) ?? ''
    const type = readDeclaredType(text)
    const description = readDescription(text)
    return {
      skill: entry,
      root,
      registryPath,
      ...(type !== undefined && isAllowedType(entry.id, type) ? { type } : {}),
      ...(description === undefined ? {} : { description }),
      schema_version,
    }
  })

  on(registry.compileSkillArtifact)(async ({ params, body, caller }) => {
    const placed = (await readCatalog(params.skillId, caller.user_id)).getUsable(params.skillId)
    const { path, name } = findArtifact(placed.entry, body.artifact)
    const text = await skills.text(placed, path)
    if (text === undefined) {
      throw new Failure('ARTIFACT_NOT_FOUND', `Artifact not found: ${path}`)
    }
    const format = path.endsWith('.md') ? ('markdown' as const) : ('json' as const)
    const { execution, warnings, unused_inputs } = compileSource(
      { text, format },
      { inputs: body.vars, skill_id: placed.entry.id, artifact_name: name },
    )
    const unused_vars = [...unused_inputs]
    return { execution, warnings: [...warnings], unused_vars, schema_version }
  })
}

function writeRoutes(app: FastifyInstance, { skills, commands }: System): void {
  const on = mountContract(app)

  mountNewSkillRoute(app, async (request, scaffold) => {
    const firstReply = commands.findFirstReply(request) as Reply<typeof createSkill> | undefined
    if (firstReply !== undefined) return firstReply
    const folder = await skills.create(request.body.root, scaffold)
    const { entry, files, recordingContext } = scaffold
    const place = (path: string) => folder.absolute(`${entry.path}/${path}`)
    return commands.command(request, (ctx) => {
      recordEvent(ctx, `skill/${entry.id}`, 'skill.created', { root: folder.root })
      return {
        created: true as const,
        skillId: entry.id,
        registryPath: folder.registryPath,
        skillPath: folder.absolute(entry.path),
        files: files.map(({ path }) => place(path)),
        next: `Fill in SKILL.md and scripts/run.js, then: apprentice skills validate ${entry.id} --dry-run`,
        ...(recordingContext === undefined ? {} : { recordingContextPath: place(recordingContext) }),
        schema_version,
      }
    })
  })

  on(validation.writeSkillIndexes)(async (request) => {
    const firstReply = commands.findFirstReply(request) as Reply<typeof validation.writeSkillIndexes> | undefined
    if (firstReply !== undefined) return firstReply
    const { root, skip_broken } = request.body
    const written = await skills.reindex(root, skip_broken)
    const { folder } = written
    return commands.command(request, (ctx) => {
      recordEvent(ctx, 'skills', 'skill.indexes.written', { root: folder.root })
      return {
        root: folder.root,
        registryPath: folder.registryPath,
        totalSkills: written.skills.length,
        files: written.files,
        skipped: [...written.broken],
        schema_version,
      }
    })
  })
}

function validationRoutes(app: FastifyInstance, system: System): void {
  const { skills, blockedTerms } = system
  const { readCatalog } = createVisibility(system)
  const on = mountContract(app)

  on(validation.checkSkillIndexes)(async () => ({
    roots: await skills.indexState(),
    schema_version,
  }))

  on(validation.validateSkill)(async ({ params, body, caller }) => {
    const placed = (await readCatalog(params.skillId, caller.user_id)).get(params.skillId)
    const options = { dryRun: body.dry_run, blockedTerms: await blockedTerms() }
    const verdict = await skills.validate(placed, options)
    if (!verdict.valid) {
      const { message, details } = verdict
      throw new Failure('SKILL_VALIDATION_FAILED', message, {
        details: { skillId: params.skillId, ...details },
      })
    }
    return { ...verdict, registryPath: placed.registryPath, schema_version }
  })

  on(validation.validateSkills)(async ({ body }) => {
    const options = { dryRun: body.dry_run, blockedTerms: await blockedTerms() }
    const all = await skills.validateAll(body.root, options)
    const { valid, failures, unregistered, registryPaths } = all
    const invalid = failures.filter(({ skillId }) => skillId !== validation.INDEXES_ID).length
    const totalSkills = valid.length + invalid
    if (failures.length > 0) {
      throw new Failure(
        'SKILL_VALIDATION_FAILED',
        `${failures.length} of ${totalSkills} registered skills failed validation`,
        {
          details: {
            totalSkills,
            validCount: valid.length,
            invalidCount: failures.length,
            failures,
            ...(unregistered.length === 0 ? {} : { unregistered }),
          },
        },
      )
    }
    return {
      valid: true as const,
      totalSkills,
      registryPath: registryPaths[0] ?? '',
      registryPaths,
      validSkills: valid,
      unregistered,
      schema_version,
    }
  })
}
