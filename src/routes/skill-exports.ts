import type { FastifyInstance } from 'fastify'
import { exportAbility } from '@apprentice/contracts/skills/imports.ts'
import { bundleToExport } from '../domain/skill-import/export-bundle.ts'
import { mounting } from '../http/mount.ts'
import type { System } from '../daemon/system.ts'

export function skillExportRoutes(app: FastifyInstance, { commands, bundles }: System): void {
  mounting(app)(exportAbility)(({ params, caller }, reply) => {
    const { name, files } = commands.read((reader) =>
      bundleToExport(reader, params.abilityId, caller.user_id),
    )
    void reply.header('content-disposition', `attachment; filename="${name}.skillbundle.zip"`)
    return bundles.pack(files)
  })
}
