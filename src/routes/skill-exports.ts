import type { FastifyInstance } from 'fastify'
import { exportAbility } from '@apprentice/contracts/skills/imports.ts'
import { buildExport } from '../domain/skill-import/bundle-export.ts'
import { mountContract } from '../http/contract-routes.ts'
import type { System } from '../daemon/system.ts'

export function skillExportRoutes(app: FastifyInstance, { commands, bundles }: System): void {
  mountContract(app)(exportAbility)(({ params, caller }, reply) => {
    const { name, files } = commands.read((reader) => buildExport(reader, params.abilityId, caller.user_id))
    void reply.header('content-disposition', `attachment; filename="${name}.skillbundle.zip"`)
    return bundles.pack(files)
  })
}
