// The network between a client and its server, which a test may cut.

import { createServer, connect, type AddressInfo, type Server, type Socket } from "node:net";

export class Cable {
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;
  private whole = true;

  private constructor(host: string, port: number) {
    this.server = createServer((near) => {
      if (!this.whole) {
        near.destroy();
        return;
      }
      const far = connect(port, host);
      for (const [from, to] of [[near, far], [far, near]] as const) {
        this.sockets.add(from);
        from.pipe(to);
        from.on("error", () => to.destroy());
        from.on("close", () => {
          this.sockets.delete(from);
          to.destroy();
        });
      }
    });
  }

  /** A cable to the server of a URL, and the URL by which a client connects through it. */
  static async to(url: string): Promise<[Cable, string]> {
    const { hostname, port } = new URL(url);
    const cable = new Cable(hostname, Number(port));
    await new Promise<void>((resolve) => cable.server.listen(0, "127.0.0.1", resolve));
    return [cable, `nats://127.0.0.1:${(cable.server.address() as AddressInfo).port}`];
  }

  cut(): void {
    this.whole = false;
    for (const socket of this.sockets) socket.destroy();
  }

  mend(): void {
    this.whole = true;
  }

  remove(): void {
    this.cut();
    this.server.close();
  }
}
