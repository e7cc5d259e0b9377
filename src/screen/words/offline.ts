import type { PhraseTable } from './language.ts'

/** What a screen says while the app cannot reach its server. */
export const OFFLINE_PHRASES: PhraseTable = {
  en: `offline, you are offline, you're offline, no connection, no internet, no internet connection, no network,
    connection lost, not connected, disconnected, no service, back online`,
  de: `offline, keine verbindung, kein internet, kein netz, keine internetverbindung, verbindung verloren,
    nicht verbunden, wieder online`,
  fr: `hors ligne, hors connexion, pas de connexion, aucune connexion, pas d'internet, connexion perdue, non connecté,
    pas de réseau`,
  es: 'sin conexión, no hay conexión, sin internet, conexión perdida, no conectado, sin red',
  it: 'offline, nessuna connessione, connessione assente, connessione persa, non connesso, nessuna rete',
  pt: 'sem conexão, sem ligação, sem internet, conexão perdida, não conectado, offline, sem rede',
  nl: 'offline, geen verbinding, geen internet, verbinding verbroken, niet verbonden, geen netwerk',
  pl: 'offline, brak połączenia, brak internetu, utracono połączenie, brak sieci',
  sv: 'offline, ingen anslutning, ingen uppkoppling, inget internet, anslutningen bröts, inte ansluten',
  tr: 'çevrimdışı, bağlantı yok, internet yok, internet bağlantısı yok, bağlantı kesildi, bağlı değil',
  ru: 'офлайн, не в сети, нет соединения, нет подключения, нет интернета, соединение потеряно, нет сети',
  ja: 'オフライン, 接続なし, 接続がありません, 接続できません, ネットワークなし, インターネットに接続されていません',
  zh: '离线, 无网络, 无连接, 没有网络, 网络已断开, 離線, 無網路, 沒有網路, 未連線',
  ko: '오프라인, 연결 없음, 연결되지 않, 연결이 끊, 인터넷 없음, 네트워크 없음',
  ar: 'غير متصل, غير متصل بالإنترنت, لا يوجد اتصال, لا يوجد إنترنت, انقطع الاتصال, بلا اتصال',
}
