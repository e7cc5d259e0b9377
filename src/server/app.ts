import { fastifySSE } from '@fastify/sse'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { validatorCompiler } from 'fastify-type-provider-zod'
import { allRoutes } from '@apprentice/contracts/index.ts'
import { Failure } from '../failure/failure.ts'
import { createClientErrorHandler, createErrorHandler } from '../http/failure-reply.ts'
import { acceptsPage } from '../http/page-requests.ts'
import { readCorrelationId, registerRequestGuards } from '../http/request-guards.ts'
import { registerRequestTraces } from '../http/request-traces.ts'
import { registerAdminDelegation } from '../http/admin-delegation.ts'
import { registerBodyDiscarding } from '../http/refused-bodies.ts'
import { compileReply, type ReplyCompiler } from '../http/reply-serializer.ts'
import { parseStrictJson } from '../http/strict-json.ts'
import { TokenBuckets } from '../http/token-buckets.ts'
import { abilityRoutes } from '../routes/abilities/abilities.ts'
import { abilityRunRoutes } from '../routes/abilities/runs.ts'
import { accessRoutes } from '../routes/access.ts'
import { deviceLookRoutes } from '../routes/devices/looks.ts'
import { policyRoutes } from '../routes/policies.ts'
import { skillIndexRoutes } from '../routes/skills/indexes.ts'
import { capabilityRoutes } from '../routes/capabilities.ts'
import { projectRoutes } from '../routes/projects.ts'
import { categoryRoutes } from '../routes/categories.ts'
import { connectorRoutes } from '../routes/connectors/servers.ts'
import { dashboardRoutes } from '../routes/dashboard.ts'
import { deviceCheckRoutes } from '../routes/devices/checks.ts'
import { deviceRoutes } from '../routes/devices/devices.ts'
import { documentRoutes } from '../routes/documents/documents.ts'
import { docsRoutes } from '../routes/docs.ts'
import { eventRoutes } from '../routes/events.ts'
import { executionRoutes } from '../routes/devices/executions.ts'
import { healthRoutes } from '../routes/health.ts'
import { hostRoutes } from '../routes/devices/hosts.ts'
import { installRoutes } from '../routes/abilities/installs.ts'
import { intentRoutes } from '../routes/intents.ts'
import { learnAdapterRoutes } from '../routes/learn/adapters.ts'
import { checkpointRoutes } from '../routes/learn/checkpoints.ts'
import { learnCoachingRoutes } from '../routes/learn/coaching.ts'
import { learnMarkRoutes } from '../routes/learn/marks.ts'
import { learnUnderstandingRoutes } from '../routes/learn/understanding.ts'
import { learnHistoryRoutes } from '../routes/learn/history.ts'
import { learnMarkerRoutes } from '../routes/learn/markers.ts'
import { learnMiningRoutes } from '../routes/learn/mining.ts'
import { learnObservationRoutes } from '../routes/learn/observations.ts'
import { learnPracticeRoutes } from '../routes/learn/practice.ts'
import { learnProposalRoutes } from '../routes/learn/proposals.ts'
import { learnProposalReviewRoutes } from '../routes/learn/proposals-review.ts'
import { learnProposalValidationRoutes } from '../routes/learn/proposals-validation.ts'
import { learnReceiptRoutes } from '../routes/learn/receipts.ts'
import { learnRuntimeRoutes } from '../routes/learn/runtime.ts'
import { learnSessionRoutes } from '../routes/learn/sessions.ts'
import { learnStreamRoutes } from '../routes/learn/stream.ts'
import { liveScreenRoutes } from '../routes/devices/live-screen.ts'
import { mcpRoutes } from '../routes/mcp.ts'
import { recipeRoutes } from '../routes/recipes.ts'
import { preparationRoutes } from '../routes/devices/preparation.ts'
import { recordingRoutes } from '../routes/devices/recordings.ts'
import { retiredRoutes } from '../routes/retired.ts'
import { skillExportRoutes } from '../routes/abilities/export.ts'
import { skillImportRoutes } from '../routes/skills/imports.ts'
import { skillImportUploadRoutes } from '../routes/skills/import-uploads.ts'
import { skillRunRoutes } from '../routes/skills/runs.ts'
import { sceneGenerationRoutes } from '../routes/scenes/generations.ts'
import { sceneProfileRoutes } from '../routes/scenes/profiles.ts'
import { sceneRunRoutes } from '../routes/scenes/runs.ts'
import { sceneRoutes } from '../routes/scenes/scenes.ts'
import { skillRoutes } from '../routes/skills/skills.ts'
import type { System } from '../daemon/system.ts'

/** Builds the HTTP server with all routes. It does not listen. Tests give a compiler of replies that checks them. */
export async function buildApp(system: System, replies: ReplyCompiler = compileReply): Promise<FastifyInstance> {
  const { config, log } = system
  const { limits } = config.settings
  // Fastify's narrower logger type keeps the type of the instance simple.
  const logger: FastifyBaseLogger = log
  const replyWithFailure = createErrorHandler((code) => system.metrics.refusals.inc({ code }))
  const app: FastifyInstance = Fastify({
    loggerInstance: logger,
    genReqId: (raw) => readCorrelationId(raw.headers) ?? system.newId(),
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: 'correlation_id',
    }),
    bodyLimit: limits.body_bytes,
    forceCloseConnections: 'idle',
    // The request guards answer while the daemon stops, with the error envelope.
    return503OnClosing: false,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 240 },
    frameworkErrors: replyWithFailure,
    clientErrorHandler: createClientErrorHandler(system.newId),
  })
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(replies)
  app.setErrorHandler(replyWithFailure)
  registerBodyParser(app)
  registerRequestTraces(app, system.traces)
  registerRequestGuards(app, {
    access: system.access,
    buckets: new TokenBuckets(limits.requests_per_second, limits.request_burst),
    clock: system.clock,
    hosts: new Set(['127.0.0.1', 'localhost', '[::1]', config.host.toLowerCase()]),
    isStopping: () => system.stopping,
  })
  registerBodyDiscarding(app)
  registerAdminDelegation(app, (work) => system.commands.read(work))
  registerRequestLog(app, system)
  registerNotFoundHandler(app)
  await app.register(fastifySSE, { heartbeatInterval: 0 })
  app.addHook('preClose', () => {
    system.hub.close()
    system.lessons.close()
  })
  app.addHook('onListen', async () => system.listening(app.server.address()))
  await mountRoutes(app, system)
  return app
}

function mountSceneRoutes(app: FastifyInstance, system: System): void {
  sceneRoutes(app, system)
  sceneGenerationRoutes(app, system)
  sceneRunRoutes(app, system)
  sceneProfileRoutes(app, system)
}

function mountLearnRoutes(app: FastifyInstance, system: System): void {
  learnSessionRoutes(app, system)
  learnMarkerRoutes(app, system)
  learnObservationRoutes(app, system)
  learnAdapterRoutes(app, system)
  checkpointRoutes(app, system)
  learnCoachingRoutes(app, system)
  learnMarkRoutes(app, system)
  learnUnderstandingRoutes(app, system)
  learnPracticeRoutes(app, system)
  learnProposalRoutes(app, system)
  learnProposalReviewRoutes(app, system)
  learnProposalValidationRoutes(app, system)
  installRoutes(app, system)
  abilityRunRoutes(app, system)
  capabilityRoutes(app, system)
  learnMiningRoutes(app, system)
  learnRuntimeRoutes(app, system)
  learnHistoryRoutes(app, system)
  learnReceiptRoutes(app, system)
  learnStreamRoutes(app, system)
}

async function mountRoutes(app: FastifyInstance, system: System): Promise<void> {
  accessRoutes(app, system)
  policyRoutes(app, system)
  deviceLookRoutes(app, system)
  skillIndexRoutes(app, system)
  healthRoutes(app, system)
  docsRoutes(app)
  eventRoutes(app, system)
  dashboardRoutes(app, system)
  mountLearnRoutes(app, system)
  deviceRoutes(app, system)
  deviceCheckRoutes(app, system)
  hostRoutes(app, system)
  preparationRoutes(app, system)
  executionRoutes(app, system)
  await skillImportUploadRoutes(app, system)
  skillImportRoutes(app, system)
  skillExportRoutes(app, system)
  skillRunRoutes(app, system)
  recipeRoutes(app, system)
  skillRoutes(app, system)
  mountSceneRoutes(app, system)
  recordingRoutes(app, system)
  liveScreenRoutes(app, system)
  abilityRoutes(app, system)
  categoryRoutes(app, system)
  projectRoutes(app, system)
  intentRoutes(app, system)
  connectorRoutes(app, system)
  await documentRoutes(app, system)
  mcpRoutes(app, system)
  retiredRoutes(app, system)
}

function registerBodyParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      done(null, request.routeOptions.config.raw_body ? body : parseStrictJson(body as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
  // A missing body counts as an empty object, so that the contract names the missing fields.
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.body === undefined) request.body = {}
    done()
  })
}

/** Logs one line per request, for GET at level debug. */
function registerRequestLog(app: FastifyInstance, { log, metrics }: System): void {
  // These lines contain no secrets, so redaction is skipped.
  const requestLog = log.child({}, { redact: [] })
  app.addHook('onResponse', (request, reply, done) => {
    const { contract } = request.routeOptions.config
    if (contract !== undefined) {
      const route = `${contract.method} ${contract.url}`
      const status = reply.statusCode
      metrics.requests.observe({ route, status }, reply.elapsedTime / 1000)
      const level = request.method === 'GET' ? 'debug' : 'info'
      if (log.isLevelEnabled(level)) {
        const ms = Math.round(reply.elapsedTime * 10) / 10
        const { caller } = request
        requestLog[level]({ correlation_id: request.id, route, status, ms, user_id: caller?.user_id }, 'request')
      }
    }
    done()
  })
}

function registerNotFoundHandler(app: FastifyInstance): void {
  const routes = allRoutes.map(({ method, url }) => ({
    method,
    pattern: new RegExp(`^${url.replaceAll(/:[A-Za-z]+/g, '[^/]+')}$`),
  }))
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? ''
    const methods = routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
    if (methods.length === 0 && acceptsPage(request)) return app.sendPage(request, reply, 404)
    if (methods.length === 0) throw new Failure('NOT_FOUND', 'There is no such route. See /docs for all routes.')
    void reply.header('allow', methods.join(', '))
    throw new Failure('METHOD_NOT_ALLOWED', `This path accepts ${methods.join(', ')}.`)
  })
}
